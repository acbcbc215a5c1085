/// Every bound of this module, but for those of bodies that are read as JSON.
package enum GatewayLimits {
    package static let bodyBytesStandard = 16 << 20
    /// What a value may have at most.
    package static let bodyBytesMost = 64 << 20
    package static let connectionsStandard = 10_000
    package static let patienceStandard = Duration.seconds(30)
    /// One field of a head, and the target: a key of 4 096 bytes takes three for each.
    package static let fieldBytesMax = 16 << 10
    /// All fields of a head together.
    package static let headBytesMax = 64 << 10
    package static let fieldsMax = 100
    /// Values that wait to be stored or sent, together; beyond that is busy.
    package static let valueBytesHeldMax = 256 << 20
    /// Short ones have so much more.
    package static let shortValueBytesHeldMax = 32 << 20
    /// What is shorter is not counted on a connection of HTTP/1.1, which has one at a time. Of
    /// HTTP/2, with a hundred streams to a connection, every byte is.
    package static let valueBytesUncounted = 16 << 10
    /// A long value is written in pieces of this, and each may take ``GatewayOptions/patience``.
    package static let pieceBytes = 64 << 10
    /// How many bytes of an answer's body have to be taken in a second, on average, beside the time
    /// of ``GatewayOptions/patience``: a slow phone's line. A slower reader would hold room that
    /// all share for hours, a piece each time its patience is almost over; so the longest value is
    /// gone after 18 minutes, and one of 16 MiB after five.
    package static let answerBytesPerSecondMin = 64 << 10
    /// How long a client with a request refused halfway is listened to before the connection is
    /// closed: closed at once, the answer would be lost.
    package static let lingering = Duration.seconds(2)
    /// How long a gateway that starts looks for nodes before it listens all the same.
    package static let meetingTimeMax = Duration.seconds(3)
    static let meetingPause = Duration.milliseconds(50)
    /// Between two looks at the cluster, where the gateway's health is watched.
    static let clusterLookInterval = Duration.seconds(2)
    /// Counters are kept in so many parts, as a power of two: threads rarely want the same one.
    static let talliesLog2 = 4
    /// Keys of which it is remembered how long their values are.
    static let readSizePlaces = 4_096
    /// How much one value moves what is expected of those that nothing is known of, and the most
    /// that is.
    static let readSizeWeight = 1.0 / 16
    static let unknownValueBytesMax = 1 << 20
    /// How long requests have to end once the gateway is asked to stop.
    package static let stopPatience = Duration.seconds(3)
    /// Longest file with the private key of a certificate.
    static let keyFileBytesMax = 64 << 10
    /// Longest file with a certificate and those up to its authority.
    static let chainFileBytesMax = 1 << 20
    /// Longest file with tokens' hashes is that of a list. Between two looks at it:
    package static let lookInterval = Duration.milliseconds(250)
    /// How long each node and the publisher have for telling where they stand: an operator wants to
    /// see the others while one is away.
    package static let lookTimeMax = Duration.seconds(2)
    /// What the system may hold for a subscriber of the stream that does not read.
    package static let pushSendBytes = 64 << 10
    package static let tokenBytesMax = 4_096
    /// Blocks beyond this length go back to the system when they are freed, and so does what each
    /// of the allocator's areas has free at its end beyond so much: else long values of which many
    /// were under way at once would stay in the process.
    static let reusedAllocationMax = 256 << 10
    static let keptMemoryBytes = 4 << 20
}
