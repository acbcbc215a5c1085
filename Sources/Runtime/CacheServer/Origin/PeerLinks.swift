import CacheModel
import CacheNodeCore
import Logging
import ZeroMQ

/// The origin thread's connections to the shards of its node's peers: opened when a shard is asked
/// for the first time, kept until it leaves the cluster.
///
/// It holds no rule of its own: see ``CacheNodeCore/PeerLoads``.
struct PeerLinks: ~Copyable {
    /// Frames that one link may hand over in a turn.
    private static let framesPerTurnMax = 256
    /// How soon a connection that breaks while it is asked is noticed.
    static let watchInterval = Duration.milliseconds(50)

    private let context: Context
    private let logger: Logger
    private var links: [String: ShardLink] = [:]
    /// Not to be closed before the poller is made anew that watches them.
    private var leaving: [ShardLink] = []
    /// Whether there are others to listen to.
    private(set) var isChanged = false
    private var frame = Frame()
    private var lastComplaint = ""

    init(_ context: Context, logger: Logger) {
        self.context = context
        self.logger = logger
    }

    /// Has a new poller watch them.
    mutating func watch(with poller: inout Poller) {
        for link in links.values {
            link.pollIndex = poller.add(link.socket, for: .readable)
        }
        leaving.removeAll()
        isChanged = false
    }

    /// Says for what each is to be waited.
    func prepare(_ poller: inout Poller) {
        for link in links.values {
            guard let index = link.pollIndex else { continue }
            poller.watch(index, for: link.isWaitingForRoom ? [.readable, .writable] : .readable)
        }
    }

    /// Sends a frame, as soon as there is a connection.
    ///
    /// - Returns: whether there can be one.
    mutating func send(_ frame: [UInt8], to endpoint: String) throws -> Bool {
        guard let link = try link(to: endpoint) else { return false }
        try link.send(frame)
        return true
    }

    mutating func probe(_ frame: [UInt8], to endpoint: String) throws {
        try links[endpoint]?.probe(frame)
    }

    /// What waits for a connection to a shard is not to be sent.
    func dropUnsent(to endpoint: String) { links[endpoint]?.dropUnsent() }

    mutating func close(_ endpoint: String) {
        guard let link = links.removeValue(forKey: endpoint) else { return }
        leaving.append(link)
        isChanged = true
    }

    /// Closes the connections to all other shards.
    ///
    /// - Returns: those.
    mutating func keep(_ endpoints: Set<String>) -> [String] {
        let others = links.keys.filter { !endpoints.contains($0) }.sorted()
        for endpoint in others { close(endpoint) }
        return others
    }

    /// - Returns: `nil` where none can be opened: the origin is asked instead, by a connection that
    ///   is there perhaps.
    private mutating func link(to endpoint: String) throws(ZeroMQError) -> ShardLink? {
        if let known = links[endpoint] { return known }
        let link = try ShardLink.opened(context, to: endpoint) { complain($0) }
        guard let link else { return nil }
        links[endpoint] = link
        isChanged = true
        return link
    }

    /// Says so once, however often it is tried.
    private mutating func complain(_ what: String) {
        guard what != lastComplaint else { return }
        lastComplaint = what
        logger.error("a peer cannot be asked: \(what)")
    }

    /// Takes what has come, and hands out each frame with where it came from.
    mutating func receive(
        from poller: borrowing Poller,
        _ body: (UnsafeRawBufferPointer, String) -> Void
    ) throws {
        for (endpoint, link) in links {
            guard let index = link.pollIndex, poller.isReady(index) else { continue }
            try link.flush()
            var taken = 0
            while taken < Self.framesPerTurnMax, try link.socket.receive(into: &frame) {
                taken += 1
                body(frame.bytes, endpoint)
            }
        }
    }

    /// Which of those that are asked have lost their connection since.
    func takeBroken(among asked: [String]) throws -> [String] {
        var broken: [String] = []
        for endpoint in asked {
            guard let link = links[endpoint], try link.hasBroken() else { continue }
            link.dropUnsent()
            broken.append(endpoint)
        }
        return broken
    }
}
