import ByteCoding
import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore
import Testing

/// A publisher and nodes on a stage: the shipped cores, one clock that is moved by hand, and links
/// that are held and cut by the script. Nothing happens by chance.
///
/// Every line of a script ends in quiet: what is not held has been delivered, and obeyed.
final class Stage {
    static let beginning = Instant(nanoseconds: 1_000_000_000_000)
    private static let step = Duration.milliseconds(20)

    var now = Stage.beginning
    let plan: PublisherPlan
    var policy = NamespacePolicy()
    private(set) var publisher: PublishingCore<StagedLog>?
    private(set) var nodes: [StagedNode] = []
    private var inbox: [(PeerID, [UInt8])] = []
    private var receipts: [UInt64: Receipt] = [:]
    private var requestCount: UInt64 = 0
    private var runCount: UInt64 = 0
    private let recordsMax: Int
    /// Most bytes of replays that one turn of the publisher sent.
    var mostReplayedInATurn = 0

    /// A cluster whose nodes are live.
    init(nodes count: Int = 2, isReplicated: Bool = true, recordsMax: Int = 10_000) {
        var plan = PublisherPlan(
            nodes: (1...count).compactMap { number in
                NodeID("n\(number)").map { PublisherPlan.Node(id: $0, shards: 1) }
            })
        plan.kind = isReplicated ? .replicated : .sharded
        plan.controlEndpoint = "tcp://127.0.0.1:1"
        plan.liveEndpoint = "tcp://127.0.0.1:2"
        self.plan = plan
        self.recordsMax = recordsMax
        startPublisher()
        for number in 1...count { startNode(number) }
        advance(.seconds(5))
        for node in nodes { #expect(node.state == .live, "\(node.name) is \(node.state)") }
    }

    // MARK: Coming and going

    /// - Parameter log: what it finds on its disk; `nil`: nothing.
    func startPublisher(with log: StagedLog? = nil) {
        let fresh = LogID(0xF00 + runCount)
        publisher = PublishingCore(
            plan: plan,
            log: log
                ?? StagedLog(
                    MemoryLog(id: fresh, recordsMax: recordsMax, decode: SealedRecord.kept)),
            freshID: fresh, topologyVersion: UInt32(100 + runCount), now: now)
        runCount += 1
        settle()
    }

    /// It is gone, and its log is what is left.
    @discardableResult
    func killPublisher() -> StagedLog? {
        let log = self.log
        publisher = nil
        inbox = []
        return log
    }

    /// Another run of the node begins beside those that are there.
    @discardableResult
    func startNode(_ number: Int) -> StagedNode {
        runCount += 1
        let node = StagedNode(
            name: "n\(number)", number: nodes.count, incarnation: runCount, now: now)
        nodes.append(node)
        subscribe()
        settle()
        return node
    }

    /// Somebody subscribed to the live channel.
    func subscribe() { publisher?.subscribed(now: now) }

    // MARK: Time

    func advance(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end {
            now = min(end, now.advanced(by: Self.step))
            settle()
        }
    }

    /// Delivers and obeys until nothing moves.
    func settle() {
        repeat {
            for node in nodes where node.runs { turn(node) }
            turnPublisher()
        } while isAnythingUnderWay
    }

    private var isAnythingUnderWay: Bool {
        (publisher != nil && !inbox.isEmpty)
            || nodes.contains { node in
                node.runs
                    && (node.live == .open && !node.liveFrames.isEmpty
                        || node.toNode == .open && !node.controlFrames.isEmpty
                        || node.toPublisher == .open && publisher != nil
                            && !node.sentFrames.isEmpty)
            }
    }

    // MARK: Asking a shard

    func nextRequest() -> UInt64 {
        requestCount += 1
        return requestCount
    }

    /// Sends one request to a node's shard; the answer comes at once, or is left in `answers`.
    func ask(
        _ node: Int, _ type: MessageType, atLeast: LogPosition? = nil,
        _ body: (inout ByteWriter) -> Void
    ) -> Outcome? {
        let node = nodes[node]
        var writer = ByteWriter()
        var message = MessageWriter(type, requestID: nextRequest(), into: &writer)
        if let atLeast { message.field(MessageFields.ID.atLeast, atLeast, into: &writer) }
        message.field(MessageFields.ID.deadline, UInt32(60_000), into: &writer)
        body(&writer)
        message.finish(&writer, count: 1)
        let frame = writer.array
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: Self.client, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer { frames in
                node.shard.turn(
                    frames, from: 0, now: now, into: &node.replies, effects: &node.effects)
            }
        }
        collect(node)
        settle()
        return takeAnswer(of: node)
    }

    /// The oldest answer of a node's shard that nobody has taken.
    func takeAnswer(of node: StagedNode) -> Outcome? {
        node.answers.isEmpty ? nil : Outcome(first: node.answers.removeFirst())
    }

    private static let client: PeerID = {
        let bytes: [UInt8] = [0, 1, 0, 0, 9]
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            preconditionFailure("five bytes are a routing id")
        }
        return peer
    }()

    // MARK: Invalidating

    /// Sends an invalidation to the publisher, and tells under which number its receipt comes.
    func beginInvalidation(
        _ scopes: [Scope], strength: InvalidationRecord.Strength = .hard, wait: WaitMode = .all,
        timeout: UInt32 = 60_000
    ) -> UInt64 {
        let (id, frame) = invalidation(scopes, strength, wait, timeout)
        inbox.append((Self.peer(250), frame))
        settle()
        return id
    }

    /// Sends one that nobody waits for, and lets nothing happen yet.
    func queueInvalidation(_ scope: Scope) {
        inbox.append((Self.peer(250), invalidation([scope], .hard, .none, 60_000).frame))
    }

    private func invalidation(
        _ scopes: [Scope], _ strength: InvalidationRecord.Strength, _ wait: WaitMode,
        _ timeout: UInt32
    ) -> (id: UInt64, frame: [UInt8]) {
        let id = nextRequest()
        let request = InvalidateRequest(
            scopes: scopes, strength: strength, wait: wait, timeoutMilliseconds: timeout,
            operation: .none)
        var writer = ByteWriter()
        request.encode(requestID: id, into: &writer)
        return (id, writer.array)
    }

    /// What a publisher that is no longer one broadcasts when it is asked to invalidate: it has
    /// this log, and heard nothing since.
    func recordsOfDeposed(with log: StagedLog?, _ scopes: [Scope]) -> [[UInt8]] {
        guard let log else { return [] }
        var deposed = PublishingCore(
            plan: plan, log: log, freshID: LogID(0xDE), topologyVersion: 1, now: now)
        var actions: [PublisherAction] = []
        invalidation(scopes, .hard, .none, 1_000).frame.withUnsafeBytes {
            deposed.received($0, from: RequestSender(Self.peer(251)), now: now, into: &actions)
        }
        deposed.tick(now: now, into: &actions)
        return actions.compactMap { if case .broadcast(let frame) = $0 { frame } else { nil } }
    }

    func receipt(_ number: UInt64) -> Receipt? { receipts[number] }

    /// The disk has done, or refuses.
    func finishAppend(_ refusal: LogRefusal? = nil) {
        guard let ticket = publisher?.log.ticket else { return }
        var actions: [PublisherAction] = []
        publisher?.appended(LogOutcome(ticket: ticket, refusal: refusal), now: now, into: &actions)
        perform(actions)
        settle()
    }

    /// From now on appends end when the script says so.
    func makeDiskSlow() { publisher?.log.isSlow = true }

    /// The log as it is now: what a backup would hold.
    var log: StagedLog? { publisher?.log }

    // MARK: Turns

    static func peer(_ number: Int) -> PeerID {
        [0, 0, 0, 0, UInt8(number)].withUnsafeBytes { bytes in
            guard let peer = PeerID(bytes) else {
                preconditionFailure("five bytes are a name")
            }
            return peer
        }
    }

    private func turnPublisher() {
        guard publisher != nil else { return }
        for node in nodes where node.toPublisher == .open && node.runs {
            inbox += node.sentFrames.map { (Self.peer(node.number), $0) }
            node.sentFrames = []
        }
        var actions: [PublisherAction] = []
        let frames = inbox
        inbox = []
        for (peer, frame) in frames {
            frame.withUnsafeBytes {
                publisher?.received($0, from: RequestSender(peer), now: now, into: &actions)
            }
        }
        publisher?.tick(now: now, into: &actions)
        perform(actions)
    }

    private func perform(_ actions: [PublisherAction]) {
        let replayed = actions.reduce(0) { sum, action in
            guard case .reply(_, let frame, _) = action, frame[3] == MessageType.replay.rawValue
            else { return sum }
            return sum + frame.count
        }
        mostReplayedInATurn = max(mostReplayedInATurn, replayed)
        for action in actions {
            switch action {
            case .broadcast(let frame):
                for node in nodes where node.live != .cut && !node.isDead {
                    node.liveFrames.append(frame)
                }
            case .reply(let peer, let frame, _):
                if peer == Self.peer(250) { return hear(frame) }
                for node in nodes
                where Self.peer(node.number) == peer && node.toNode != .cut && !node.isDead {
                    node.controlFrames.append(frame)
                }
            case .keep: break  // No script paces.
            case .confirm, .stepDown: break
            case .keepLives: keepLives()
            case .keepCluster, .keepSlots: break
            case .audit: break  // Nobody asked for it.
            }
        }
    }

    /// What scripts are about is not how long that takes.
    private func keepLives() {
        var actions: [PublisherAction] = []
        publisher?.livesKept(nil, isGone: false, now: now, into: &actions)
        perform(actions)
    }

    private func hear(_ frame: [UInt8]) {
        frame.withUnsafeBytes { bytes in
            guard let message = try? MessageView(decoding: bytes), message.type == .receipt,
                let receipt = try? Receipt(decoding: message)
            else { return }
            receipts[message.requestID] = receipt
        }
    }
}
