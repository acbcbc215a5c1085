import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

/// One DEALER to one endpoint, and what waits to be sent over it. Lives on the loop's thread.
final class ShardConnection {
    /// Operations that may share a message, in the order they came.
    struct Group {
        let envelope: Envelope
        var waiting: [OperationReference]
        /// How many of them are sent already.
        var sentCount = 0
    }

    let endpoint: String
    let socket: Socket
    /// Whose endpoint it is, in the topology of now; `nil` for the publisher and for seeds.
    var node: NodeIndex?
    var nodeID: NodeID?
    var pollIndex: PollIndex?
    var groups: [Group] = []
    var questions: [AdminRequest] = []
    /// Whether the topology is to be asked for here.
    var isAskedForTopology = false
    var isWatchedForRoom = false
    /// Since when it takes no message; `nil` while it does.
    private(set) var blockedSince: Instant?
    /// Whether it was blocked for so long that nothing is left to wait for.
    private(set) var isDown = false

    init(_ context: Context, _ endpoint: Endpoint) throws(ZeroMQError) {
        self.endpoint = endpoint.description
        socket = try Socket(context, .dealer)
        try socket.connect(endpoint)
    }

    var hasWork: Bool { !groups.isEmpty || !questions.isEmpty || isAskedForTopology }

    func queue(_ reference: OperationReference) {
        let envelope = reference.request.envelope
        if let index = groups.firstIndex(where: { $0.envelope == envelope }) {
            groups[index].waiting.append(reference)
        } else {
            groups.append(Group(envelope: envelope, waiting: [reference]))
        }
    }

    /// Takes back everything that was queued and not sent.
    func takeOperations() -> [OperationReference] {
        let references = groups.flatMap { $0.waiting[$0.sentCount...] }
        groups.removeAll()
        return references
    }

    func wasBlocked(at now: Instant) {
        if blockedSince == nil { blockedSince = now }
    }

    func wasUsed() {
        blockedSince = nil
        isDown = false
    }

    /// Gives it up, if it was blocked for long enough.
    ///
    /// - Returns: whether it went down just now.
    func checkPatience(at now: Instant) -> Bool {
        guard !isDown, let since = patienceEnd, since <= now else { return false }
        isDown = true
        return true
    }

    /// When it counts as down unless it takes a message before.
    var patienceEnd: Instant? {
        isDown ? nil : blockedSince?.advanced(by: ClientLimits.unreachableAfter)
    }

    /// Whether a message might go through: it is not down, or has just come back.
    func isUsable() throws(ZeroMQError) -> Bool {
        if isDown, try socket.isWritable { wasUsed() }
        return !isDown
    }
}
