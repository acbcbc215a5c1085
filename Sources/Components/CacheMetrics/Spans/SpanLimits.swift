/// All bounds of recording and sending spans, side by side.
package enum SpanLimits {
    /// Queued spans; further ones are dropped.
    package static let spansMax = 2_048
    /// Spans of one request to the collector.
    package static let batchSpansMax = 512
    /// How long the first span of a batch waits for others.
    package static let gatheringTime = Duration.seconds(1)
    /// How often a batch is sent before it is given up.
    package static let attemptsMax = 5
    package static let pauseMin = Duration.seconds(1)
    package static let pauseMax = Duration.seconds(30)
    /// Longest pause that a collector may ask for.
    package static let askedPauseMax = Duration.seconds(60)
    /// Timeout of one request to a collector.
    package static let attemptTime = Duration.seconds(5)
    /// How long a stop waits for the rest to be sent.
    package static let flushTime = Duration.seconds(2)
    /// Bytes to read of a collector's answer.
    package static let answerBytesMax = 64 << 10
    /// Time between two log lines about the collector.
    package static let silence = Duration.seconds(60)
    /// Attributes of a span; further ones are counted and dropped.
    package static let attributesMax = 32
    /// Bytes of a text of a span; longer texts are cut.
    package static let textBytesMax = 256

    /// The relations that must hold.
    package static func check() {
        precondition(batchSpansMax <= spansMax, "a batch is a part of the queue")
        precondition(pauseMin < pauseMax && pauseMax <= askedPauseMax, "pauses grow")
        precondition(flushTime < attemptTime, "a stop does not wait for the slowest answer")
    }
}
