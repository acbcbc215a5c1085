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

/// A question about one key, put to every node at once.
struct NodeQuestion {
    let client: CacheClient
    let key: WatchedKey
    let patience: Duration

    /// What each node says; `nil` of one that does not answer. Empty if the nodes are unknown.
    func answers() async -> [NodeID: NodeAnswer?] {
        let nodes: [NodeID]
        let owner: NodeID?
        do throws(CacheError) {
            nodes = try await client.cluster.topology().nodes.map(\.id)
            owner = try await client.cluster.owner(of: key.key, in: key.namespace)
        } catch {
            return [:]
        }
        return await withTaskGroup(of: (NodeID, NodeAnswer?).self) { group in
            for node in nodes {
                let isInCharge = owner == nil || owner == node
                group.addTask { (node, await answer(of: node, isInCharge: isInCharge)) }
            }
            return await group.reduce(into: [:]) { $0.updateValue($1.1, forKey: $1.0) }
        }
    }

    private func answer(of node: NodeID, isInCharge: Bool) async -> NodeAnswer? {
        do throws(CacheError) {
            let found = try await client.cluster.explain(
                key.key, in: key.namespace, on: node, timeout: patience)
            return NodeAnswer(found, isInCharge: isInCharge)
        } catch {
            return nil
        }
    }
}

extension NodeAnswer {
    init(_ found: KeyExplanation, isInCharge: Bool) {
        let entry = found.entry.map {
            Entry(
                version: $0.version, filled: $0.filled, isUnfenced: $0.isUnfenced, tags: $0.tags,
                age: $0.age)
        }
        self.init(
            isFresh: found.verdict == .fresh, verdict: found.verdict.rawValue,
            applied: found.applied, entry: entry, isInCharge: isInCharge)
    }
}

/// A question to one node: is what it shows of a key what the key's origin has?
struct ComparisonRequest {
    let client: CacheClient
    let look: OriginLook
    let patience: Duration

    /// - Returns: the node that was asked, `nil` if the nodes are unknown; and its answer.
    func answer() async -> (NodeID?, OriginAnswer) {
        guard let node = await node() else { return (nil, .unanswered) }
        do throws(CacheError) {
            return (
                node,
                .compared(
                    try await client.cluster.compareWithOrigin(
                        look.key.key, in: look.key.namespace, on: node, timeout: patience))
            )
        } catch {
            return (node, error.code == .refused ? .unsupported : .unanswered)
        }
    }

    /// The node that is asked for, else the key's owner, else the next in turn.
    private func node() async -> NodeID? {
        if let node = look.node { return node }
        do throws(CacheError) {
            if let owner = try await client.cluster.owner(of: look.key.key, in: look.key.namespace)
            {
                return owner
            }
            let nodes = try await client.cluster.topology().nodes.map(\.id)
            return nodes.isEmpty ? nil : nodes[look.turn % nodes.count]
        } catch {
            return nil
        }
    }
}
