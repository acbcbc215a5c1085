package import CacheModel

/// An answer to a run's request for a lease.
package struct LeaseAnswer: Hashable, Sendable {
    /// The head of the log that the answer carries.
    let head: LogPosition
    /// When the request arrived: earlier than now if it had to wait.
    let askedAt: Instant
    let answeredAt: Instant
    /// When the grant ends, if there is one.
    let grantEnds: Instant

    package init(
        head: LogPosition, askedAt: Instant, answeredAt: Instant, grantEnds: Instant
    ) {
        self.head = head
        self.askedAt = askedAt
        self.answeredAt = answeredAt
        self.grantEnds = grantEnds
    }
}

/// The heads that a run was told in the last answers to its requests for leases.
///
/// A request that waits may be answered together with later ones: a run cannot have applied the
/// head of an answer that was not given yet when it asked.
struct AnsweredHeads: Hashable, Sendable {
    private struct Answered: Hashable {
        let head: LogPosition
        let time: Instant
    }

    private var answers: [Answered] = []

    /// The head that a run must have reached when its request arrives at that time. The run may
    /// have received some answers before: it is the head of the second-last of these. `nil`: there
    /// are fewer.
    func required(at arrival: Instant) -> LogPosition? {
        answers.filter { $0.time < arrival }.dropLast().last?.head
    }

    mutating func note(_ answer: LeaseAnswer) {
        if answers.count == InvalidationLimits.answeredHeadsMax { answers.removeFirst() }
        answers.append(Answered(head: answer.head, time: answer.answeredAt))
    }
}
