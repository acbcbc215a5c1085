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
    private var knock: SecondKnock
    /// Whose endpoint it is, in the topology of now; `nil` for the publisher and for seeds.
    var node: NodeIndex?
    var nodeID: NodeID?
    var pollIndex: PollIndex?
    var groups: [Group] = []
    var questions: [AdminRequest] = []
    /// Messages of plain gets that are being filled, in the order they were begun; at most one of
    /// each kind.
    var getDrafts: [GetBatch] = []
    /// Those that are full and have found no room yet, in the order they were filled.
    var fullGets: [GetBatch] = []
    var window = SendWindow()
    /// Whether it answers.
    var watch = AnswerWatch()
    /// Whether a probe is to be sent here.
    var isToBeProbed = false
    /// Whether the topology is to be asked for here.
    var isAskedForTopology = false
    var isWatchedForRoom = false
    /// Since when it takes no message; `nil` while it does.
    private(set) var blockedSince: Instant?
    /// Whether it was blocked for so long that nothing is left to wait for.
    private(set) var isDown = false

    init(_ context: Context, _ endpoint: Endpoint) throws(ZeroMQError) {
        self.endpoint = endpoint.description
        knock = SecondKnock(at: endpoint)
        socket = try Socket(context, .dealer)
        try socket.connect(endpoint)
    }

    var hasWork: Bool { hasRequests || isToBeProbed }

    /// Whether anything waits here but a probe.
    var hasRequests: Bool {
        !groups.isEmpty || !questions.isEmpty || isAskedForTopology || !getDrafts.isEmpty
            || !fullGets.isEmpty
    }

    func queue(_ reference: OperationReference) {
        let envelope = reference.envelope
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

    /// Whether its silence counts: it is a shard's, or was when it was doubted.
    var isWatched: Bool { node != nil || !watch.takesRequests }

    /// Takes out the message of plain gets that goes now; `nil` if all that there are wait.
    func takeNextGets(at now: Instant) -> GetBatch? {
        let next = window.next(
            full: fullGets.first?.begunAt, draft: getDrafts.first?.begunAt, at: now)
        switch next {
        case .full: return fullGets.removeFirst()
        case .draft: return getDrafts.removeFirst()
        case nil: return nil
        }
    }

    /// When a message of plain gets goes without an answer; `nil` if none would.
    var holdEnd: Instant? { window.holdEnd(draft: getDrafts.first?.begunAt) }

    /// Takes back every message of plain gets that was not sent.
    func takeGets() -> [GetBatch] {
        let batches = fullGets + getDrafts
        fullGets.removeAll()
        getDrafts.removeAll()
        return batches
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

    /// Whether a request would be answered, as far as is known: a message goes through, and the
    /// shard owes none for long.
    func isAnswering() -> Bool { isUsable() && watch.takesRequests }

    /// Whether a message might go through: it is not down, or has just come back.
    func isUsable() -> Bool {
        guard isDown else { return true }
        do {
            if try socket.isWritable { wasUsed() } else { try knock.tryAgain(socket) }
        } catch {
            // A socket that cannot be asked cannot be used either.
        }
        return !isDown
    }
}
