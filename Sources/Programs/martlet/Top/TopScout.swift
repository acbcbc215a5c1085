import CacheModel
import CommandSurface
import ConsoleCore
import MartletClient
import Threading

/// Looks at a cluster once an interval and tells what it hears.
///
/// Each process is asked by a task of its own: a node that does not answer holds up nothing but its
/// own row.
struct TopScout: Sendable {
    /// Before the stream is asked for again.
    private static let streamPause: Duration = .seconds(2)

    let client: CacheClient
    let interval: Duration
    let patience: Duration
    let endpoints: [String]
    let tell: @Sendable (ClusterNews) -> Void

    /// Nodes of the topology, and nodes with a task that looks at them.
    private let nodes = Guarded((told: Set<NodeID>(), watched: Set<NodeID>()))

    func watch(wantsStream: Bool) async {
        await withDiscardingTaskGroup { group in
            await lookForCluster()
            group.addTask { await steadily { await lookAtPublisher() } }
            if wantsStream { group.addTask { await followStream() } }
            await steadily {
                for node in await lookForNodes() {
                    group.addTask {
                        await steadily(while: { isWatched(node) }) { await look(at: node) }
                    }
                }
            }
            group.cancelAll()
        }
    }

    /// Does it once an interval, or as often as it ends.
    private func steadily(
        while isWanted: () -> Bool = { true }, _ work: () async -> Void
    ) async {
        while !Task.isCancelled, isWanted() {
            let start = ContinuousClock.now
            await work()
            // One that took longer than an interval is not asked again without a breath.
            let pause = max(interval - (ContinuousClock.now - start), interval / 4)
            guard await Task.slept(for: pause) else { return }
        }
    }

    // MARK: Finding nodes

    private func lookForCluster() async {
        while !Task.isCancelled {
            do throws(CacheError) {
                tell(.told(try await client.cluster.topology()))
                return
            } catch {
                tell(.trouble(EndpointKeys.shortened(error.sentence(endpoints: endpoints))))
            }
            guard await Task.slept(for: min(interval, .seconds(1))) else { return }
        }
    }

    /// - Returns: nodes without a task that looks at them.
    private func lookForNodes() async -> Set<NodeID> {
        let topology: ClusterTopology
        do throws(CacheError) {
            topology = try await client.cluster.topology(isRefreshed: true)
        } catch {
            do throws(CacheError) {
                topology = try await client.cluster.topology()
            } catch {
                // What was told before stands.
                return []
            }
        }
        tell(.told(topology))
        let told = Set(topology.nodes.map(\.id))
        return nodes.withLock { nodes in
            defer { nodes = (told, nodes.watched.union(told)) }
            return told.subtracting(nodes.watched)
        }
    }

    /// Whether a node's task goes on; where it does not, the node's next task may begin.
    private func isWatched(_ node: NodeID) -> Bool {
        nodes.withLock { nodes in
            if nodes.told.contains(node) { return true }
            nodes.watched.remove(node)
            return false
        }
    }

    // MARK: How they are

    private func lookAtPublisher() async {
        do throws(CacheError) {
            tell(.told(byPublisher: try await client.cluster.publisherStatus(timeout: patience)))
        } catch {
            if !Task.isCancelled { tell(.noPublisher(Absence(error))) }
        }
    }

    private func look(at node: NodeID) async {
        do throws(CacheError) {
            tell(.told(by: node, try await client.cluster.status(of: node, timeout: patience)))
        } catch {
            if !Task.isCancelled { tell(.noNode(node, Absence(error))) }
        }
    }

    private func followStream() async {
        while !Task.isCancelled {
            do throws(CacheError) {
                let events = try await client.invalidations()
                var isPartial = false
                for await event in events {
                    if events.isPartial, !isPartial {
                        isPartial = true
                        tell(.stream(.partial))
                    }
                    tell(.stream(StreamEvent(event)))
                }
                if let failure = events.failure { throw failure }
            } catch {
                tell(.stream(.failed(EndpointKeys.shortened(error.sentence(endpoints: [])))))
            }
            guard await Task.slept(for: Self.streamPause) else { return }
        }
    }
}

/// What the client was answered, in the words of the screen.
extension ClusterNews {
    static func told(_ topology: ClusterTopology) -> ClusterNews {
        .topology(
            TopologyObservation(
                kind: topology.kind.rawValue, version: topology.version,
                publisher: EndpointKeys.shortened(topology.controlEndpoint),
                nodes: topology.nodes.map { node in
                    TopologyObservation.Node(
                        node.id, endpoints: node.endpoints.map(EndpointKeys.shortened))
                }))
    }

    static func told(byPublisher snapshot: StatusSnapshot) -> ClusterNews {
        var lines: [NodeID: PublisherObservation.Line] = [:]
        for line in snapshot.nodes {
            lines[line.node] = PublisherObservation.Line(
                state: line.state, applied: line.incarnation == .none ? nil : line.applied,
                grantLeft: line.grantLeft)
        }
        return .publisher(
            PublisherObservation(
                state: snapshot.state, head: snapshot.position, figures: snapshot.figures,
                lines: lines))
    }

    static func told(by node: NodeID, _ shards: [StatusSnapshot]) -> ClusterNews {
        let status = NodeStatus(node, shards: shards)
        guard let state = status.state else {
            let sentence = "it told of no shard"
            return .noNode(node, Absence(isDenial: false, sentence: sentence))
        }
        return .node(
            node,
            NodeObservation(
                shards: shards.map { shard in
                    NodeObservation.Shard(
                        state: shard.state, position: shard.position, figures: shard.figures)
                }, state: state,
                reason: NodeReason(status)?.sentence ?? status.troubles.first))
    }
}

extension Absence {
    init(_ error: CacheError) {
        self.init(
            isDenial: error.code == .unauthorised,
            sentence: EndpointKeys.shortened(error.sentence(endpoints: [])))
    }
}

extension StreamEvent {
    init(_ event: InvalidationStream.Event) {
        switch event {
        case .record(let record): self = .record(record)
        case .heartbeat(let head): self = .heartbeat(head: head)
        case .lost(let start, let end): self = .lost(after: start, continuingAfter: end)
        }
    }
}
