import CacheModel
import CacheVerification

/// A check beside a made-up cluster of nodes n1, n2 and n3, and the time in a test's hands.
struct StandingTranscript {
    var check: StandingCheck
    var now = Instant(nanoseconds: 1_000_000_000)
    private var sequence: UInt64 = 0

    init(_ change: (inout StandingPlan) -> Void = { _ in }) {
        var plan = StandingPlan(leaseBound: .seconds(3))
        change(&plan)
        check = StandingCheck(plan)
    }

    static func key(_ name: String, in namespace: Namespace = .default) -> WatchedKey {
        guard let key = CacheKey(name) else { preconditionFailure("a key has a name") }
        return WatchedKey(key, in: namespace)
    }

    static func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    static func node(_ number: Int) -> NodeID {
        guard let node = NodeID("n\(number)") else { preconditionFailure("n1 is a name") }
        return node
    }

    mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

    /// The next record of the log.
    @discardableResult
    mutating func hear(
        _ scopes: Scope..., strength: InvalidationRecord.Strength = .hard
    ) -> [SampleID] {
        sequence += 1
        let record = InvalidationRecord(
            position: Self.position(sequence), previousDigest: LogDigest(0), operation: .none,
            strength: strength, scopes: scopes)
        return check.heard(record, at: now)
    }

    @discardableResult
    mutating func hear(key: String) -> [SampleID] {
        hear(Scope(.key(Self.key(key).key, in: .default)))
    }

    mutating func looks() -> [NodeLook] { check.takeDue(at: now, limit: 100) }

    /// An answer of a node that has an entry.
    static func answer(
        filled: UInt64?, applied: UInt64, isFresh: Bool = true, version: UInt64 = 0,
        isUnfenced: Bool = false
    ) -> NodeAnswer {
        NodeAnswer(
            isFresh: isFresh, verdict: isFresh ? "fresh" : "soft", applied: position(applied),
            entry: NodeAnswer.Entry(
                version: Version(version), filled: filled.map(position), isUnfenced: isUnfenced,
                tags: [], age: .seconds(5)))
    }

    /// The same with a tag.
    static func tagged(_ tag: Tag, _ answer: NodeAnswer) -> NodeAnswer {
        var answer = answer
        answer.entry?.tags = [tag]
        return answer
    }

    static func absent(applied: UInt64, isInCharge: Bool = true) -> NodeAnswer {
        NodeAnswer(
            isFresh: false, verdict: "absent", applied: position(applied), entry: nil,
            isInCharge: isInCharge)
    }

    /// Takes the one look that is due and answers it for n1.
    mutating func look(_ answer: NodeAnswer?) -> NodeLook? {
        guard let look = looks().first else { return nil }
        return check.answered(look, [Self.node(1): answer], askedAt: now, at: now)
    }

    func figures(_ delayIndex: Int = 0, _ node: Int = 1) -> NodeFigures {
        check.figures[delayIndex][Self.node(node)] ?? NodeFigures()
    }
}
