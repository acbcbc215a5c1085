/// Bounds of this module, except for those of bodies that are read as JSON.
package enum GatewayLimits {
    package static let bodyBytesStandard = 16 << 20
    /// The greatest possible limit for a value.
    package static let bodyBytesMost = 64 << 20
    package static let connectionsStandard = 10_000
    package static let patienceStandard = Duration.seconds(30)
    /// One field of a head, and the target: a key of 4 096 bytes needs three for each.
    package static let fieldBytesMax = 16 << 10
    /// All fields of a head together.
    package static let headBytesMax = 64 << 10
    package static let fieldsMax = 100
    /// Values waiting to be stored or sent, in total; beyond that the answer is busy.
    package static let valueBytesHeldMax = 256 << 20
    /// Additional bytes for short values.
    package static let shortValueBytesHeldMax = 32 << 20
    /// Shorter values are not counted on a connection of HTTP/1.1, which has one at a time. For
    /// HTTP/2, with a hundred streams per connection, every byte counts.
    package static let valueBytesUncounted = 16 << 10
    /// A long value is written in pieces of this size, and each may take
    /// ``GatewayOptions/patience``.
    package static let pieceBytes = 64 << 10
    /// Minimum average rate at which an answer's body must be read, beside the time of
    /// ``GatewayOptions/patience``: a slow phone's line. A slower reader could use shared space for
    /// hours, with one piece each time its patience is almost over; so the longest value is sent
    /// after 18 minutes, and one of 16 MiB after five.
    package static let answerBytesPerSecondMin = 64 << 10
    /// How long a connection is still read after a request was refused halfway: if it were closed
    /// at once, the answer would be lost.
    package static let lingering = Duration.seconds(2)
    /// How long a starting gateway looks for nodes before it listens all the same.
    package static let meetingTimeMax = Duration.seconds(3)
    static let meetingPause = Duration.milliseconds(50)
    /// Between two looks at the cluster, if the gateway's health is watched.
    static let clusterLookInterval = Duration.seconds(2)
    /// Counters are kept in this many parts, as a power of two, to avoid contention between
    /// threads.
    static let talliesLog2 = 4
    /// Number of keys with a remembered value length.
    static let readSizePlaces = 4_096
    /// The weight of one value in the estimate for unknown keys, and the maximum of that estimate.
    static let readSizeWeight = 1.0 / 16
    static let unknownValueBytesMax = 1 << 20
    /// How long requests may continue once the gateway is asked to stop.
    package static let stopPatience = Duration.seconds(3)
    /// Longest private key file of a certificate.
    static let keyFileBytesMax = 64 << 10
    /// Longest certificate file, including the chain up to its authority.
    static let chainFileBytesMax = 1 << 20
    /// The file of token hashes has the length limit of a list. Between two reads of it:
    package static let lookInterval = Duration.milliseconds(250)
    /// Time limit for each node and the publisher to report their status: an operator wants to see
    /// the others while one is away.
    package static let lookTimeMax = Duration.seconds(2)
    /// Kernel send buffer for a subscriber of the stream that does not read.
    package static let pushSendBytes = 64 << 10
    package static let tokenBytesMax = 4_096
    /// Larger blocks are returned to the system when they are freed, and so is free space beyond
    /// this size at the end of each allocator arena: otherwise the memory of many concurrent long
    /// values would stay in the process.
    static let reusedAllocationMax = 256 << 10
    static let keptMemoryBytes = 4 << 20
}
