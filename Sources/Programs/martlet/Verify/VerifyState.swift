import CacheModel
import CacheVerification
import MartletClient
import Threading

/// What `verify` knows, one thing after the other: the check, the time, and what is on its way.
actor VerifyState {
    private var check: StandingCheck
    private let startedAt = MonotonicClock.now
    private var firstPosition: LogPosition?
    private var heardAt: Instant?
    private var inFlightCount = 0
    private var comparingCount = 0
    private var askedCount = 0
    private var answeredCount = 0

    /// Looks under way at a time: each asks every node.
    private static let inFlightMax = 256
    /// Comparisons under way at a time.
    private static let comparingMax = 16

    init(_ plan: StandingPlan) {
        check = StandingCheck(plan)
    }

    // MARK: The log

    /// - Returns: the samples that were taken, and the position of their record.
    func heard(_ event: InvalidationStream.Event) -> (LogPosition, [SampleID])? {
        heardAt = MonotonicClock.now
        switch event {
        case .heartbeat(let head):
            firstPosition = firstPosition ?? head
            return nil
        case .lost(let start, let end):
            if start != end { check.lostPlace() }
            return nil
        case .record(let record):
            firstPosition = firstPosition ?? record.position
            let samples = check.heard(record, at: MonotonicClock.now)
            return samples.isEmpty ? nil : (record.position, samples)
        }
    }

    func receipt(of samples: [SampleID], isComplete: Bool) {
        check.receipt(of: samples, isComplete: isComplete, at: MonotonicClock.now)
    }

    /// Those that are scanned for keys: the one that is watched; where that is all of them, the
    /// default one and those that have an origin.
    var scannedNamespaces: [Namespace] {
        if let namespace = check.plan.namespace { return [namespace] }
        let withOrigin = check.plan.origins.namespaces.subtracting([.default])
        return [.default] + withOrigin.sorted { $0.name < $1.name }
    }

    func learn(_ key: WatchedKey, tags: [Tag]) { check.learn(key, tags: tags) }

    // MARK: Looking

    func takeDue() -> [NodeLook] {
        let room = Self.inFlightMax - inFlightCount
        guard room > 0 else { return [] }
        let looks = check.takeDue(at: MonotonicClock.now, limit: room)
        inFlightCount += looks.count
        return looks
    }

    /// - Returns: the look to repeat at once, if there is one; otherwise it is over.
    func answered(
        _ look: NodeLook, _ answers: [NodeID: NodeAnswer?], askedAt: Instant
    ) -> NodeLook? {
        askedCount += answers.count
        answeredCount += answers.count { $0.value != nil }
        let second = check.answered(look, answers, askedAt: askedAt, at: MonotonicClock.now)
        if second == nil { inFlightCount -= 1 }
        return second
    }

    var hasWrongAnswer: Bool { !check.brokenPromises.isEmpty }

    // MARK: Comparing

    var compares: Bool { check.plan.origins.isOn }

    func takeDueComparison() -> OriginLook? {
        guard comparingCount < Self.comparingMax,
            let look = check.takeDueComparison(at: MonotonicClock.now)
        else { return nil }
        comparingCount += 1
        return look
    }

    /// - Parameter node: `nil` if no node was known to be asked.
    func compared(_ look: OriginLook, by node: NodeID?, _ answer: OriginAnswer) {
        comparingCount -= 1
        if let node { check.compared(look, by: node, answer, at: MonotonicClock.now) }
    }

    // MARK: Telling

    var report: VerifyReport {
        let now = MonotonicClock.now
        return VerifyReport(
            check: check, elapsed: now.elapsed(since: startedAt), firstPosition: firstPosition,
            silence: heardAt.map { now.elapsed(since: $0) }, asked: askedCount,
            answered: answeredCount)
    }
}
