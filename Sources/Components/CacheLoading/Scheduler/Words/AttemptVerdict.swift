package import CacheModel

/// What the outcome of an attempt means for its load and for the gate.
package struct AttemptVerdict: Equatable, Sendable {
    /// What it says about the origin's health.
    package enum Health: Equatable, Sendable {
        /// It answers.
        case good
        /// It fails.
        case failed
        /// Nothing: it was busy, or the exchange failed.
        case unsaid
    }

    /// Whether the next attempt may succeed where this one did not.
    package let isWorthAnother: Bool
    /// Whether the origin would do better with fewer requests at a time.
    package let isCongestion: Bool
    package let health: Health
    /// The failure of the exchange; `nil`: a complete reply came.
    package let failure: LoadFailure?
    /// When the origin permits the next request.
    package let retryAfter: Duration?

    package init(of outcome: AttemptOutcome) {
        switch outcome {
        case .answered(let reply): self.init(reply)
        case .failed(let failure): self.init(failure)
        }
    }

    private init(_ reply: OriginReply) {
        let status = OriginStatus(reply.status)
        isWorthAnother = status.isWorthAnother
        isCongestion = status.isCongestion
        health =
            switch status {
            case .settled: .good
            case .untimely, .crowded: .unsaid
            case .overloaded, .failing: .failed
            }
        failure = nil
        retryAfter = status.isWorthAnother ? reply.retryAfter : nil
    }

    private init(_ failure: LoadFailure) {
        isWorthAnother = failure.isWorthAnother
        isCongestion = failure == .timedOut || failure == .unreachable
        health =
            switch failure {
            case .timedOut, .unreachable, .unavailable: .failed
            // Not the wanted value, but an answer.
            case .refused, .tooLarge, .malformed: .good
            case .broken, .overloaded, .cancelled, .overtaken, .noOrigin, .outdated, .notKept,
                .stillLoading:
                .unsaid
            }
        self.failure = failure
        retryAfter = nil
    }

    /// No answer in time.
    static let timedOut = AttemptVerdict(.timedOut)
}
