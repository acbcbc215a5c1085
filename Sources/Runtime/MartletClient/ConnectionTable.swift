import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// The next moment at which the loop has something to do. Components lower it; a sweep clears it
/// first, and so finds the next one.
final class DueTimer {
    static let never = Instant(nanoseconds: .max)

    private(set) var due = never

    func lower(to time: Instant) { due = min(due, time) }

    func clear() { due = Self.never }

    /// Wakes when a watched shard has been silent for too long.
    func watch(_ connection: ShardConnection) {
        guard connection.isWatched, let due = connection.watch.due else { return }
        lower(to: due)
    }
}

/// The connections of a client, by endpoint and by shard, and the poller that watches them. Lives
/// on the loop's thread.
final class ConnectionTable {
    private let context: Context
    private let wakeup: Wakeup
    private let timer: DueTimer
    /// In the order of opening. The poller below watches them and must go first.
    private(set) var all: [ShardConnection] = []
    private var byEndpoint: [String: ShardConnection] = [:]
    /// One for each shard of the topology; `nil` until its first use.
    private var byShard: [ShardConnection?] = []
    private var poller = Poller()
    private var isPollerCurrent = false
    private var bell: PollIndex?

    /// - Parameter wakeup: the bell of the loop, which the poller watches too.
    init(_ context: Context, _ wakeup: Wakeup, _ timer: DueTimer) {
        self.context = context
        self.wakeup = wakeup
        self.timer = timer
    }

    /// The connection to the only shard of the topology; `nil` if there are several.
    var ofOnlyShard: ShardConnection? { byShard.count == 1 ? byShard[0] : nil }

    /// The connection to a shard; `nil` before its first use.
    subscript(number: ShardNumber) -> ShardConnection? { byShard[number.rawValue] }

    /// The connection to an endpoint; `nil` if there is none.
    subscript(endpoint: String) -> ShardConnection? { byEndpoint[endpoint] }

    /// Whether requests to all shards of a node would be answered, as far as is known.
    func mayAnswer(_ node: NodeIndex, in topology: Topology) -> Bool {
        let numbers = topology.nodes[node.rawValue].shardNumbers
        guard !numbers.isEmpty else { return false }
        return numbers.allSatisfy { number in
            guard !topology.shards[number].endpoint.isEmpty else { return false }
            guard let connection = byShard[number] else { return true }
            return connection.isAnswering()
        }
    }

    // MARK: Opening

    /// The connection to a shard, opened if this is its first use.
    ///
    /// - Throws: why no message can go there now.
    func open(_ number: ShardNumber, in topology: Topology) throws(CacheError) -> ShardConnection {
        if let known = self[number], known.isAnswering() { return known }
        let address = topology[number]
        let connection = try open(address.endpoint, "node \(address.node)")
        assign(connection, to: address, in: topology)
        byShard[number.rawValue] = connection
        return connection
    }

    /// The connection to an endpoint, opened if there is none.
    ///
    /// - Parameters:
    ///   - peerName: a name of the endpoint for the error message.
    ///   - most: the limit of connections.
    /// - Throws: why no message can go there now: it is down, its endpoint is invalid, there are
    ///   too many connections, or the system provides no socket. That fails one request, never the
    ///   client.
    func open(
        _ endpoint: String, _ peerName: @autoclosure () -> String,
        most: Int = ClientLimits.connectionsMax
    ) throws(CacheError) -> ShardConnection {
        if let known = byEndpoint[endpoint] {
            guard known.isUsable() else { throw .unreachable(peerName()) }
            guard known.watch.standing != .suspect else { throw .unanswering(peerName()) }
            return known
        }
        guard all.count < most else { throw .unreachable(peerName()) }
        let parsed: Endpoint
        do {
            parsed = try Endpoint(endpoint, for: .connecting)
        } catch {
            // A node announced an endpoint that cannot be used: the shard counts as unreachable.
            throw .unreachable(peerName())
        }
        let connection: ShardConnection
        do {
            connection = try ShardConnection(context, parsed)
        } catch {
            throw CacheError(
                .disconnected,
                "no socket can be opened to \(peerName()), and nothing was sent: \(error)")
        }
        byEndpoint[endpoint] = connection
        all.append(connection)
        isPollerCurrent = false
        return connection
    }

    private func assign(
        _ connection: ShardConnection, to address: ShardAddress, in topology: Topology
    ) {
        connection.node = address.nodeIndex
        connection.nodeID = address.node
        if connection.watch.takesRequests {
            connection.watch.isSaid(topology.nodes[address.nodeIndex.rawValue].state)
        }
        timer.watch(connection)
    }

    // MARK: Topologies

    /// Assigns the open connections to the shards of another topology. Closes idle ones to
    /// endpoints that neither the topology nor `candidates` name.
    func adopt(_ topology: Topology, candidates: [String]) {
        byShard = topology.shards.map { byEndpoint[$0.endpoint] }
        for connection in all {
            connection.node = nil
            connection.nodeID = nil
        }
        for (number, connection) in byShard.enumerated() {
            guard let connection else { continue }
            assign(connection, to: topology.shards[number], in: topology)
        }
        var named = Set(candidates)
        named.insert(topology.controlEndpoint)
        named.formUnion(topology.shards.map(\.endpoint))
        close { !named.contains($0.endpoint) && !$0.hasRequests }
    }

    private func close(where isStranger: (ShardConnection) -> Bool) {
        let strangers = all.filter(isStranger)
        guard !strangers.isEmpty else { return }
        // The poller refers to sockets by address: it must go before any of them.
        poller = Poller()
        isPollerCurrent = false
        // The poller may be in the middle of a round: no connection has an index in the new one
        // until the next turn.
        for connection in all { connection.pollIndex = nil }
        all.removeAll { connection in strangers.contains { $0 === connection } }
        for stranger in strangers { byEndpoint[stranger.endpoint] = nil }
    }

    /// Closes all connections. The context can end only after every socket, and the poller goes
    /// before them.
    func closeAll() {
        poller = Poller()
        (all, byEndpoint, byShard) = ([], [:], [])
    }

    // MARK: Waiting

    /// Makes the poller watch the open connections, and the bell. A blocked connection is watched
    /// for capacity; any other has nothing waiting.
    func watch() {
        if !isPollerCurrent {
            poller = Poller()
            bell = poller.add(wakeup)
            for connection in all {
                connection.pollIndex = poller.add(connection.socket, for: .readable)
                connection.isWatchedForRoom = false
            }
            isPollerCurrent = true
        }
        for connection in all {
            let wants = connection.hasWork && connection.blockedSince != nil
            guard wants != connection.isWatchedForRoom, let index = connection.pollIndex else {
                continue
            }
            poller.watch(index, for: wants ? [.readable, .writable] : .readable)
            connection.isWatchedForRoom = wants
        }
    }

    func wait(timeout: Duration?, spinning spin: Duration = .zero) throws(ZeroMQError) {
        _ = try poller.wait(timeout: timeout, spinning: spin)
    }

    var hasRung: Bool { bell.map { poller.isReady($0) } ?? false }

    func isReady(_ connection: ShardConnection) -> Bool {
        connection.pollIndex.map { poller.isReady($0) } ?? false
    }
}
