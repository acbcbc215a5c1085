import CacheModel
import ConsoleCore
import MartletClient

/// The publisher and every node of a cluster at about one moment.
struct ClusterStatus {
    var topology: ClusterTopology
    var publisher: Result<StatusSnapshot, CacheError>
    /// In the topology's order.
    var nodes: [NodeStatus]
    /// The invalidations that take their time and are not over.
    var pacings: [PacedInvalidation] = []
    /// `nil` where there is one, or none has told of the others.
    var publishers: ClusterPublishers?

    /// The newest position of the log; `nil` if the publisher did not answer.
    var head: LogPosition? { publisherSnapshot?.position }

    var publisherSnapshot: StatusSnapshot? {
        if case .success(let snapshot) = publisher { snapshot } else { nil }
    }

    /// Why the publisher tells nothing.
    var publisherFailure: CacheError? {
        if case .failure(let error) = publisher { error } else { nil }
    }

    /// Asks the publisher and all nodes at once.
    ///
    /// - Parameter isRefreshed: whether to ask for the topology anew; without an answer the known
    ///   one is used.
    /// - Throws: only if the topology is unknown. A process that does not answer is shown as such.
    static func gathered(
        from client: CacheClient, isRefreshed: Bool = false
    ) async throws(CacheError) -> ClusterStatus {
        let topology = try await topology(client, isRefreshed: isRefreshed)
        var status = ClusterStatus(await client.cluster.snapshot(of: topology))
        status.pacings = await Self.pacings(client, status.publisherSnapshot)
        return status
    }

    /// Joins what the publisher says of a node with what the node says itself.
    init(_ told: ClusterSnapshot) {
        topology = told.topology
        publisher = told.publisher
        publishers = told.publishers
        var lines: [NodeID: StatusSnapshot.NodeLine] = [:]
        if case .success(let snapshot) = publisher {
            for line in snapshot.nodes { lines[line.node] = line }
        }
        nodes = topology.nodes.compactMap { node in
            switch told.nodes[node.id] {
            case .success(let shards):
                NodeStatus(node.id, shards: shards, line: lines[node.id])
            case .failure(let error):
                NodeStatus(node.id, failure: error, line: lines[node.id])
            case nil: nil
            }
        }
    }

    private static func topology(
        _ client: CacheClient, isRefreshed: Bool
    ) async throws(CacheError) -> ClusterTopology {
        let known = try await client.cluster.topology()
        guard isRefreshed else { return known }
        do throws(CacheError) {
            return try await client.cluster.topology(isRefreshed: true)
        } catch {
            return known
        }
    }

    /// Asks only where the publisher says that there are any. What cannot be told is left out.
    private static func pacings(
        _ client: CacheClient, _ publisher: StatusSnapshot?
    ) async -> [PacedInvalidation] {
        guard let count = publisher?.figures["pacings"], count > 0 else { return [] }
        do throws(CacheError) {
            return try await client.cluster.pacedInvalidations().filter { $0.state == .running }
        } catch {
            return []
        }
    }
}

/// One node as `status` shows it: the sum of its shards, or what is known of one that does not
/// answer.
struct NodeStatus {
    let node: NodeID
    /// One for each shard; empty if the node did not answer.
    let shards: [StatusSnapshot]
    /// What the publisher says of it; `nil` if that did not answer.
    let line: StatusSnapshot.NodeLine?
    let failure: CacheError?

    init(
        _ node: NodeID, shards: [StatusSnapshot] = [], failure: CacheError? = nil,
        line: StatusSnapshot.NodeLine? = nil
    ) {
        (self.node, self.shards, self.failure, self.line) = (node, shards, failure, line)
    }

    var isReachable: Bool { failure == nil }

    /// Of its shards the state that may promise least.
    var state: NodeState? {
        let states = shards.map(\.state)
        return Self.rising.first(where: states.contains)
    }

    /// What all its shards have applied; of a node that does not answer, what the publisher heard.
    var applied: LogPosition? {
        if isReachable { return shards.map(\.position).min() }
        return line.flatMap { $0.incarnation == .none ? nil : $0.applied }
    }

    /// Records between what it has applied and `head`.
    ///
    /// - Returns: `nil` if one of them is not known, or they are of two epochs, between which
    ///   nothing is counted.
    func lag(behind head: LogPosition?) -> UInt64? {
        guard let head, let applied, head.epoch == applied.epoch else { return nil }
        // The head was read at another moment: a node may be past it.
        let (lag, isAhead) = head.sequence.rawValue.subtractingReportingOverflow(
            applied.sequence.rawValue)
        return isAhead ? 0 : lag
    }

    /// How much longer it may call entries fresh; of a node that does not answer, for how long an
    /// invalidation waits for it. `nil`: not at all.
    var leaseLeft: Duration? {
        guard isReachable else { return line?.grantLeft }
        let left = shards.compactMap { $0.figures["lease_left_ms"] }.min() ?? 0
        return left == 0 ? nil : .milliseconds(Int64(clamping: left))
    }

    /// The sum of a figure over the shards; `nil` if none of them has it.
    func sum(_ figure: String) -> UInt64? {
        let values = shards.compactMap { $0.figures[figure] }
        return values.isEmpty ? nil : values.reduce(0, &+)
    }

    /// Share of lookups that were served, 0 to 1; `nil` before the first one.
    var hitRatio: Double? {
        guard let hits = sum("hits"), let staleHits = sum("stale_hits"), let misses = sum("misses")
        else { return nil }
        // A node says what it likes: no sum of counts may overflow.
        let served = Double(hits) + Double(staleHits)
        let lookups = served + Double(misses)
        return lookups == 0 ? nil : served / lookups
    }

    var troubles: [String] { RoleTrouble.ofNode(shards.map(\.figures)) }

    /// All figures, summed; without those that have no meaningful sum.
    var figures: [(name: String, value: UInt64)] {
        let names = Set(shards.flatMap(\.figures.keys))
            .subtracting(Self.figuresOfOne)
        return names.sorted().map { ($0, sum($0) ?? 0) }
    }

    private static let figuresOfOne: Set<String> = [
        "shard", "incarnation", "lease_left_ms", "standing_reason", "state_ms", "replay_left",
        "control_silence_ms", "heartbeat_silence_ms",
    ]

    /// States by how much a node may promise in them.
    private static let rising: [NodeState] = [
        .starting, .suspect, .recovering, .syncing, .draining, .catchingUp, .live,
    ]
}

/// Whether a node that has started has copied from its replicas what they hold.
extension NodeStatus {
    /// What it still waits for; `nil`: it is filled, or needs no replica.
    var filling: String? { NodeFilling(state, sum)?.sentence }

    /// Why it ended before the node was filled; `nil`: it did not. A node of a release that does
    /// not count replicas is taken for filled.
    var unfilled: String? {
        guard state == .live, sum("warm_up_phase") == 3, sum("warm_up_replicas") == 0 else {
            return nil
        }
        return "is not filled: no replica gave all that it holds"
    }

    /// Whether the next node may be restarted, as far as this one is concerned.
    var isFilled: Bool { state == .live && filling == nil && unfilled == nil }
}
