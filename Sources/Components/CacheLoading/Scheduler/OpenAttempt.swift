package import CacheModel

struct OpenAttempt {
    let number: AttemptNumber
    /// `nil`: aborted. It only uses a slot.
    var ticket: LoadTicket?
    let gate: GateNumber
    /// The urgency that determines its share of the slots.
    var urgency: LoadUrgency
    let startedAt: Instant
    /// Its outcome counts only if nothing has changed at the gate since.
    let era: UInt64
    /// Of its load, when the attempt began: see `Load.hasFairTime`.
    let hadFairTime: Bool
}

/// Identifies one attempt at one origin. Never used twice by a scheduler; a later attempt has a
/// greater one. The first is 1.
package struct AttemptNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before every attempt.
    static let none = AttemptNumber(0)
    var next: AttemptNumber { AttemptNumber(rawValue + 1) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package enum AttemptOutcome: Equatable, Sendable {
    case answered(OriginReply)
    /// No complete answer: `timedOut`, `unreachable`, `tooLarge` or `malformed`. Or no complete
    /// request: `refused` (a key that must not be inserted into a request), `cancelled`, or
    /// `overloaded`.
    case failed(LoadFailure)
}

/// What the outcome of an attempt means for its load and for the gate.
package struct AttemptVerdict: Equatable, Sendable {
    package enum Health: Equatable, Sendable {
        case good
        case failed
        /// Nothing: it was busy, or the exchange failed.
        case unsaid
    }

    package let isWorthAnother: Bool
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

/// What a status says about the origin, independent of the value. The only place that sorts
/// statuses into those that are worth another attempt and those that are not.
package enum OriginStatus: CaseIterable, Sendable {
    /// A healthy origin's final answer, also a refusal: every status that is not listed below.
    case settled
    /// A problem of this one exchange; the next may succeed: 408, 425.
    case untimely
    /// Healthy, but receives too many requests: 429.
    case crowded
    /// Overloaded: 503, 504.
    case overloaded
    case failing

    package init(_ status: Int) {
        self =
            switch status {
            case 408, 425: .untimely
            case 429: .crowded
            case 503, 504: .overloaded
            case 500...599: .failing
            default: .settled
            }
    }

    /// Whether the next attempt may succeed where this one did not.
    package var isWorthAnother: Bool { self != .settled }
    /// Whether the origin would do better with fewer concurrent requests.
    package var isCongestion: Bool { self == .crowded || self == .overloaded }
    /// Whether it counts as a failure of the origin.
    package var isFailure: Bool { self == .overloaded || self == .failing }
}
