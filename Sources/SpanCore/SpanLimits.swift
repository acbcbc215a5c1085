/// Every bound of what is recorded and sent, side by side.
package enum SpanLimits {
    /// Spans that wait. Beyond that they are dropped.
    package static let spansMax = 2_048
    /// Spans of one request to the collector.
    package static let batchSpansMax = 512
    /// How long the first span of a batch waits for others.
    package static let gatheringTime = Duration.seconds(1)
    /// How often a batch is sent before it is given up.
    package static let attemptsMax = 5
    package static let pauseMin = Duration.seconds(1)
    package static let pauseMax = Duration.seconds(30)
    /// The longest that a collector may ask to be left alone.
    package static let askedPauseMax = Duration.seconds(60)
    /// How long a collector has for one request.
    package static let attemptTime = Duration.seconds(5)
    /// How long whoever stops waits for the rest to be sent.
    package static let flushTime = Duration.seconds(2)
    /// What is read of a collector's answer.
    package static let answerBytesMax = 64 << 10
    /// Between two lines of the log about the collector.
    package static let silence = Duration.seconds(60)
    /// Attributes of a span; more are counted and left out.
    package static let attributesMax = 32
    /// A text of a span, in bytes; what is longer is cut.
    package static let textBytesMax = 256

    /// The relations that must hold.
    package static func check() {
        precondition(batchSpansMax <= spansMax, "a batch is a part of the queue")
        precondition(pauseMin < pauseMax && pauseMax <= askedPauseMax, "pauses grow")
        precondition(flushTime < attemptTime, "a stop does not wait for the slowest answer")
    }
}
