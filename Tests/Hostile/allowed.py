"""What is allowed: every bound of every attack. Bytes, seconds, shares."""

MEBIBYTE, KIBIBYTE = 1 << 20, 1 << 10

STRANGERS_MEMORY = 16 * MEBIBYTE
MEMORY_EACH = 64 * KIBIBYTE
"""Peers without a key may cause so much more resident memory than there was, in each process:
once, and for each connection that they have with it at a time."""
UNENDED_HANDSHAKE = MEBIBYTE + MEMORY_EACH
"""A node is more: libzmq holds what is said in a handshake against the longest frame there may
be, and nodes take frames of 1 MiB. For the 3 s that a handshake may take, whoever reaches a node's
port can so have it hold 1 MiB for each connection (docs/security.md says so, and what to do)."""

P99_FACTOR = 3.0
P99_FLOOR = 0.020
"""The 99th percentile of the well-behaved client's gets is at most so many times what it was
before, or this, whatever is more: Python and a machine that others use have seconds in which
nothing is quicker."""
SLOW_MORE = 2
"""An attack that made others slow and did nothing else is made again, so often at most, and the
last time counts."""
RECEIPT_MAX = 1.0
"""Its invalidations are obeyed by every node within this."""

MEMBERS_P99 = 0.250
"""The same where peers who hold a key without limits do what they may, only too much of it."""
MEMBERS_MEMORY = 32 * MEBIBYTE
"""What such a peer may cause besides what it sends and does not end."""
TENANT_FACTOR = 4 / 3
"""Beside one who asks for far more than its limits allow, the client's latencies, by the median of
rounds in turn, are at most so many times what they are without."""
UNENDED_FACTOR = 1.3
"""What is held for each byte of a message that does not end."""
SMALL_FRAMES_FACTOR = 4.5
"""The same where it comes in frames of a byte each, which take 36 bytes on the wire, and libzmq
some 150."""

RELEASED_WITHIN = 5.0
RELEASED_DESCRIPTORS = 4
"""So long after all connections of an attack have ended a process has no more than so many
descriptors more than before it, and no more threads."""
RELEASED_TO = 16 * MEBIBYTE
PILED_FACTOR = 1.25
"""An attack after which a process keeps more memory than that is made once more on the same
processes: what each keeps after both is at most so many times what it took at the first one's
worst. The allocator may hold what was freed; nothing may pile up."""
FREED_MAX = 40 * MEBIBYTE
GIVEN_BACK_WITHIN = 980.0
"""Beyond so much, the product gives back what was freed, within this (docs/decisions/0074): two
looks five seconds apart, after a pause that is sixteen minutes at the longest."""

HANDSHAKE_MAX = 4.5
"""Who has not shown who it is is cut off within this: the product says 3 s."""
AT_ONCE = 1.0
"""What cannot become a handshake any more is cut off within this."""

NORMAL_AGAIN = 5.0
"""After descriptors ran out and are given back, everything is as before within this."""
REVOKED_WITHIN = 1.0
"""From a key's leaving the list to its first refused request."""
