"""What is asked for: every bound of every scenario. Seconds, counts, shares."""

HERD_GETS, HERD_CONNECTIONS = 10_000, 100
HERD_ORIGIN_DELAY = 1.0
HERD_REQUESTS = {"replicated": 1, "sharded": 1, "by-node": 3}
"""Requests that an origin sees for all of them."""
LOST_REQUESTS = 2
"""The same, where the load that was under way is lost with whoever made it."""
STOPPED_REQUESTS = 3
"""Who is stopped goes on later, and its request has been made."""

PURGE_RATE_SHARE = 20
"""The load asks for so many times what the origin bears."""
PURGE_HITS = 0.95
PURGE_BACK = 3.0
"""Hits are back within so many times what the origin needs to be asked for every key once."""
PURGE_REQUESTS = 1.3
"""Requests for each key after one purge."""

AWAY_KEYS_BACK = 10.0
"""After the origin is back everything is fresh within this. A breaker that was not closed again
waits for eight of its pauses, here of a second, and a tenth."""

QUIET_REQUESTS = 1.2
"""What the origin sees while the publisher is away, of what it saw before."""
QUIET_AGAIN = 30
"""Reads that were under way when their node's lease ended: a turn of each node."""

ROWS_READS = 100_000
"""Reads judged by `rows` with --full."""
