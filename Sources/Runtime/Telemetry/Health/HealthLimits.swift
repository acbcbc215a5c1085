import NIOCore

/// Every bound of the listener, side by side.
package enum HealthLimits {
    /// Connections at a time; a further one closes the connection that was idle the longest.
    package static let connectionsMax = 64
    /// How long nothing is accepted after a connection could not be, and how often that is said.
    static let acceptPause = TimeAmount.seconds(1)
    static let acceptLineInterval = Duration.seconds(60)
    /// Of a request: one field of its head, all of them, and how many there are.
    static let fieldBytesMax = 4_096
    static let headBytesMax = 8_192
    static let fieldsMax = 64
    /// Of a request's body, which no path needs.
    static let bodyBytesMax = 4_096
    /// From a connection to the end of its first request.
    static let requestTimeMax = TimeAmount.seconds(5)
    /// From an answer to the end of the next request: longer than what is usual between two looks
    /// of a monitoring system.
    static let idleTimeMax = TimeAmount.seconds(120)
    /// How long a reply may take to be taken.
    static let replyTimeMax = TimeAmount.seconds(10)
    /// How long the process's threads may take to report.
    static let answerTimeMax = TimeAmount.seconds(2)
    /// Later than this after the question, a report is of a time that is over.
    static let reportDelayMax = Duration.nanoseconds(answerTimeMax.nanoseconds)
    /// How long a report is used again, for every client, so that clients cannot keep the threads
    /// busy.
    package static let reportAgeMax = Duration.milliseconds(250)
    /// How long a page is used again, for every client.
    package static let pageAgeMax = Duration.milliseconds(100)
    /// How long a client that is told to wait should.
    static let retryAfterSeconds = 5
    /// Longest token, and the longest file that holds one.
    package static let tokenBytes = 16...512
}
