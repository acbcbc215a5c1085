import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

/// One DEALER to one endpoint, and the messages that wait for it. Lives on the loop's thread.
final class ShardConnection {
    /// Operations that may share a message, in the order they came.
    struct Group {
        let envelope: Envelope
        var waiting: [OperationReference]
        var sentCount = 0
    }

    let endpoint: String
    let socket: Socket
    private var knock: SecondKnock
    /// The node of this endpoint in the current topology; `nil` for the publisher and for seeds.
    var node: NodeIndex?
    var nodeID: NodeID?
    var pollIndex: PollIndex?
    var groups: [Group] = []
    var questions: [AdminRequest] = []
    /// Messages of plain gets that are being filled, in the order they were begun; at most one of
    /// each kind.
    var getDrafts: [GetBatch] = []
    /// Full messages that wait for capacity, in the order they were filled.
    var fullGets: [GetBatch] = []
    var window = SendWindow()
    var watch = AnswerWatch()
    var isToBeProbed = false
    var isAskedForTopology = false
    var isWatchedForRoom = false
    /// Since when the socket accepts no message; `nil` while it does.
    private(set) var blockedSince: Instant?
    /// Whether it was blocked for so long that it counts as down.
    private(set) var isDown = false

    init(_ context: Context, _ endpoint: Endpoint) throws(ZeroMQError) {
        self.endpoint = endpoint.description
        knock = SecondKnock(at: endpoint)
        socket = try Socket(context, .dealer)
        try socket.connect(endpoint)
    }

    /// For error messages.
    var name: String { nodeID.map { "node \($0)" } ?? endpoint }

    var hasWork: Bool { hasRequests || isToBeProbed }

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

    func takeOperations() -> [OperationReference] {
        let references = groups.flatMap { $0.waiting[$0.sentCount...] }
        groups.removeAll()
        return references
    }

    func takeQuestions() -> [AdminRequest] {
        defer { questions = [] }
        return questions
    }

    /// Whether its silence counts: it belongs to a shard, or did so when it was doubted, or to a
    /// publisher in whose place another one may lead.
    var isWatched: Bool { node != nil || watch.isOneOfSeveral || !watch.takesRequests }

    /// Removes and returns the message of plain gets to send now; `nil` if all messages wait.
    func takeNextGets(at now: Instant) -> GetBatch? {
        let next = window.next(
            full: fullGets.first?.begunAt, draft: getDrafts.first?.begunAt, at: now)
        switch next {
        case .full: return fullGets.removeFirst()
        case .draft: return getDrafts.removeFirst()
        case nil: return nil
        }
    }

    var takesPlainGets: Bool { !isDown && blockedSince == nil && watch.takesRequests }

    /// When a message of plain gets is sent without a further answer; `nil` if none would be.
    var holdEnd: Instant? { window.holdEnd(draft: getDrafts.first?.begunAt) }

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

    /// Marks it as down, if it was blocked for long enough.
    ///
    /// - Returns: whether it went down just now.
    func checkPatience(at now: Instant) -> Bool {
        guard !isDown, let since = patienceEnd, since <= now else { return false }
        isDown = true
        return true
    }

    /// When it counts as down unless it accepts a message before.
    var patienceEnd: Instant? {
        let patience =
            watch.isOneOfSeveral ? ClientLimits.publisherBlockedMax : ClientLimits.unreachableAfter
        return isDown ? nil : blockedSince?.advanced(by: patience)
    }

    /// Whether a request would be answered, as far as is known: the socket accepts messages, and
    /// the shard is not silent.
    func isAnswering() -> Bool { isUsable() && watch.takesRequests }

    /// Whether the socket may accept a message: it is not down, or has just come back.
    func isUsable() -> Bool {
        guard isDown else { return true }
        do {
            if try socket.isWritable { wasUsed() } else { try knock.tryAgain(socket) }
        } catch {
            // A socket without a readable state is not usable.
        }
        return !isDown
    }
}
