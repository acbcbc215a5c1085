"""The limits of section 4 and the few numbers that have a name of their own."""

FRAME_BYTES = 1_048_576
OPERATIONS = 1_024
KEY_BYTES = 4_096
TAG_BYTES = 255
TAGS = 64
ETAG_BYTES = 255
VALUE_BYTES = 67_108_864
PART_BYTES = 524_288
TTL_MAXIMUM = 36_500 * 86_400_000
SCOPES = 1_000
RECORD_BYTES = 65_536
RECORD_HEADER_BYTES = 48
RESUME_RECORDS = 4_096
SCAN_KEYS = 1_024
SEQUENCE_END = 1 << 48
FLOOR_BUCKETS = 1 << 22

NEVER = (1 << 64) - 1
"""The time to live of an entry that never expires."""

DEFAULT_TTL = 0
"""The time to live that asks for the namespace's default."""

PENDING = (1 << 32) - 1
"""The elapsed time of a node that is still pending in a RECEIPT."""

UNHEARD = 255
"""The state of a node that the publisher has not heard of."""
