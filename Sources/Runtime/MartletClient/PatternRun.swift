import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// Carries out the steps of a ``CacheClientCore/PatternInvalidationCore``: asks, waits, and tells
/// it what came of them.
struct PatternRun {
    /// How long the publisher may take to answer one question about its nodes.
    private static let statePatience: Duration = .seconds(2)

    private let client: CacheClient
    private let pattern: KeyGlob
    private let namespace: Namespace
    private let options: PatternInvalidationOptions
    private var core: PatternInvalidationCore
    /// Why a node may have keys that were not listed: the first reason that was found.
    private var problems: [NodeID: String] = [:]
    private var wasCancelledAtEnd = false
    private var pending: Set<NodeID> = []
    private var position: LogPosition?
    private var failure: CacheError?

    init(
        _ client: CacheClient, _ pattern: KeyGlob, in namespace: Namespace,
        _ options: PatternInvalidationOptions, _ topology: ClusterTopology
    ) {
        self.client = client
        self.pattern = pattern
        self.namespace = namespace
        self.options = options
        var plan = PatternInvalidationCore.Plan(
            pattern, in: namespace, keysPerSecond: options.keysPerSecond)
        plan.isDryRun = options.isDryRun
        core = PatternInvalidationCore(
            plan, nodes: topology.nodes.map { .init($0.id, shardCount: $0.endpoints.count) },
            now: MonotonicClock.now)
        for node in topology.nodes where node.endpoints.isEmpty {
            problems[node.id] = "its shards are not known"
        }
    }

    mutating func carryOut(_ onProgress: (PatternInvalidation) -> Void) async {
        let first = await nodeStates()
        if case .success(let states) = first {
            for node in core.nodes { note(states.problem(of: node.id), of: node.id) }
        }
        while core.ending == nil {
            if Task.isCancelled { core.stop() }
            switch core.next(now: MonotonicClock.now) {
            case .scan(let node, let shard, let cursor):
                await scan(core.nodes[node].id, shard: shard, from: cursor)
            case .invalidate(let keys): await invalidate(keys)
            case .rest(let until): await rest(until: until)
            case .ended: break
            }
            onProgress(state)
        }
        if core.ending == .finished { compare(first, await nodeStates()) }
    }

    // MARK: Steps

    private mutating func scan(_ node: NodeID, shard: Int, from cursor: UInt64) async {
        do throws(CacheError) {
            let request = ScanRequest(
                cursor: cursor, limit: WireLimits.scanKeysMax,
                target: pattern.narrowing(.namespace(namespace)), isCountOnly: false)
            core.listed(try await client.cluster.scan(request, at: try await address(node, shard)))
        } catch {
            guard !Task.isCancelled else { return core.stop() }
            let kind = error.patternFailure
            guard core.scanFailed(kind, now: MonotonicClock.now) else { return }
            if kind == .final { failure = error }
            note(error.message, of: node)
        }
    }

    /// Where the shard is now: a node that was restarted may listen elsewhere.
    private func address(_ node: NodeID, _ shard: Int) async throws(CacheError) -> ShardAddress {
        let topology = try await client.loop.topology(deadline: client.loop.deadline(nil))
        guard
            let address = topology.shards.first(where: {
                $0.node == node && Int($0.shard) == shard
            })
        else {
            throw CacheError(
                .disconnected, "shard \(shard) of node \(node) is not in the cluster any more")
        }
        guard !address.endpoint.isEmpty else {
            throw .unreachable("shard \(shard) of node \(node)")
        }
        return address
    }

    private mutating func invalidate(_ keys: [CacheKey]) async {
        let scopes = keys.map { Scope(.key($0, in: namespace)) }
        // A task of its own, so that a cancelled caller learns whether the record was accepted.
        let asked = Task { [client, options] in
            await Result.awaiting { () async throws(CacheError) in
                try await client.invalidate(
                    scopes, wait: options.wait, timeout: options.timeout,
                    strength: options.strength)
            }
        }
        switch await asked.value {
        case .success(let receipt):
            core.invalidated(isComplete: receipt.isComplete)
            position = receipt.position
            if !receipt.isComplete { pending.formUnion(receipt.pending) }
        case .failure(let error):
            core.recordFailed(
                error.patternFailure, mayHaveHappened: error.mayHaveHappened,
                now: MonotonicClock.now)
            if core.ending == .failed { failure = error }
        }
    }

    private mutating func rest(until: Instant) async {
        do {
            try await Task.sleep(for: until.elapsed(since: MonotonicClock.now))
        } catch {
            core.stop()
        }
    }

    // MARK: States of nodes

    private typealias Answer = Result<NodeStates, CacheError>

    /// Asks the publisher. Every client may ask for the states. A client without the role `metrics`
    /// does without the incarnations.
    private func nodeStates() async -> Answer {
        let patience = min(Self.statePatience, client.configuration.timeout)
        return await Result.awaiting { () async throws(CacheError) in
            let report = try await client.cluster.publisherTopology(timeout: patience)
            return NodeStates(report, try await incarnations(patience))
        }
    }

    private func incarnations(
        _ patience: Duration
    ) async throws(CacheError) -> [StatusSnapshot.NodeLine] {
        do throws(CacheError) {
            return try await client.cluster.publisherStatus(timeout: patience).nodes
        } catch {
            guard error.code == .unauthorised else { throw error }
            return []
        }
    }

    private mutating func compare(_ first: Answer, _ last: Answer) {
        if case .failure = last, Task.isCancelled {
            wasCancelledAtEnd = true
            return
        }
        do throws(CacheError) {
            let (before, after) = (try first.get(), try last.get())
            for node in core.nodes { note(after.problem(of: node.id, since: before), of: node.id) }
            let scanned = Set(core.nodes.map(\.id))
            for id in Set(before.nodes.keys).union(after.nodes.keys).subtracting(scanned) {
                note("it has joined the cluster meanwhile", of: id)
            }
        } catch {
            for node in core.nodes {
                note("its state is not known: \(error.message)", of: node.id)
            }
        }
    }

    private mutating func note(_ problem: String?, of node: NodeID) {
        problems[node] = problems[node] ?? problem
    }

    // MARK: What it has come to

    var state: PatternInvalidation {
        let totals = core.totals
        let others = Set(problems.keys).subtracting(core.nodes.map(\.id)).sorted()
        return PatternInvalidation(
            pattern: pattern, namespace: namespace, isDryRun: options.isDryRun,
            wait: options.wait,
            nodes: (core.nodes + others.map { .init($0, shardCount: 0) }).map { node in
                PatternInvalidation.Node(
                    id: node.id, listedCount: node.listedCount, matchedCount: node.matchedCount,
                    matchedBytes: node.matchedBytes, isScanned: node.isScanned,
                    problem: problems[node.id])
            },
            keyCount: totals.keyCount, invalidatedCount: totals.invalidatedCount,
            isExact: core.isExact, recordCount: totals.recordCount,
            inDoubtCount: totals.inDoubtCount, incompleteCount: totals.incompleteCount,
            pending: pending.sorted(), position: position,
            wasStopped: core.ending == .stopped || wasCancelledAtEnd, failure: failure)
    }
}

extension CacheError {
    fileprivate var patternFailure: PatternInvalidationCore.Failure {
        switch code {
        case .disconnected, .timedOut, .busy: .passing
        case .unauthorised, .invalidArgument, .closed, .cancelled: .final
        default: .lasting
        }
    }
}
