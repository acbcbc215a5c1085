import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// A publisher's core between nodes and clients that a test plays: what goes in is written here,
/// what comes out is decoded.
struct Cluster: ~Copyable {
    static let start = 1_000.0
    static let freshID = LogID(0xF0)

    var core: PublishingCore<SlowLog>
    private let nodeCount: Int
    /// Seconds since ``start``.
    var second = 0.0
    /// Everything that was sent since it was last looked at.
    private(set) var replies: [(peer: UInt8, frame: [UInt8])] = []
    private(set) var broadcasts: [[UInt8]] = []
    private(set) var order: [MessageType] = []
    /// What was to be kept beside the log, the newest last.
    private(set) var kept: [[UInt8]] = []
    /// What the lives of nodes were to be kept as, the newest last.
    private(set) var keptLives: [[UInt8]] = []
    /// What was to be kept as the cluster's identity, the newest last.
    private(set) var keptClusters: [KeptCluster] = []
    /// What the owners of slots were to be kept as, the newest last.
    private(set) var keptSlots: [[UInt8]] = []
    /// Whether nodes introduce themselves as of a release that knows slots.
    var knowsSlots = true
    /// Why the stored owners of slots could not be continued.
    var slotsLoss: SlotsLoss?
    /// Whether lives are kept only when the test says so.
    var isKeepingLivesSlow = false
    /// Whether the cluster's identity and the owners of slots cannot be kept.
    var isDiskFull = false
    /// The confirmations that were asked for, the newest last.
    private(set) var wanted: [UInt64] = []
    /// How often the leadership was to be given up.
    private(set) var stepDownCount = 0
    /// What was for the audit log.
    var audited: [AuditEvent] = []
    /// How often that was answered.
    private(set) var keptCount = 0

    init(
        nodes: Int = 3, log: MemoryLog? = nil, outlivesItsProcess: Bool = false,
        inheritedLease: Duration? = .zero,
        change: (inout PublisherPlan) -> Void = { _ in }
    ) {
        nodeCount = nodes
        var plan = PublisherPlan(nodes: (1...nodes).compactMap { Self.node($0) })
        plan.controlEndpoint = "tcp://127.0.0.1:7400"
        plan.liveEndpoint = "tcp://127.0.0.1:7401"
        plan.configuration = ConfigReport(revision: 4, text: "nodes: []\n")
        change(&plan)
        var kept = SlowLog(
            log ?? MemoryLog(id: Self.freshID, decode: SealedRecord.kept),
            outlivesItsProcess: outlivesItsProcess)
        kept.inheritedLease = inheritedLease
        core = PublishingCore(
            plan: plan, log: kept, freshID: Self.freshID,
            topologyVersion: 100, now: .seconds(Self.start))
    }

    /// A replicated cluster whose log is still being read for what it touched.
    init(reading log: MemoryLog) {
        nodeCount = 3
        var plan = PublisherPlan(nodes: (1...nodeCount).compactMap { Self.node($0) })
        plan.kind = .replicated
        var kept = SlowLog(log)
        kept.areFloorsComing = true
        core = PublishingCore(
            plan: plan, log: kept, freshID: Self.freshID, topologyVersion: 100,
            now: .seconds(Self.start))
    }

    private static func node(_ number: Int) -> PublisherPlan.Node? {
        NodeID("n\(number)").map { PublisherPlan.Node(id: $0, shards: 1) }
    }

    var now: Instant { .seconds(Self.start + second) }

    // MARK: Saying

    mutating func send(_ frame: [UInt8], from peer: UInt8) {
        var actions: [PublisherAction] = []
        let (now, id) = (now, Self.peer(peer))
        frame.withUnsafeBytes {
            core.received($0, from: RequestSender(id), now: now, into: &actions)
        }
        take(actions)
    }

    /// Hands a frame over whose sender has shown a key.
    mutating func send(_ frame: [UInt8], from peer: UInt8, of principal: UInt32) {
        var actions: [PublisherAction] = []
        let (now, id) = (now, Self.peer(peer))
        frame.withUnsafeBytes {
            core.received(
                $0, from: RequestSender(id, principal: PrincipalNumber(rawValue: principal)),
                now: now, into: &actions)
        }
        take(actions)
    }

    mutating func send(from peer: UInt8, _ encode: (inout ByteWriter) -> Void) {
        send(Self.bytes(encode), from: peer)
    }

    mutating func tick(at second: Double? = nil) {
        if let second { self.second = second }
        var actions: [PublisherAction] = []
        core.tick(now: now, into: &actions)
        take(actions)
    }

    /// The log has ended what it was writing.
    mutating func finishAppend(refusedBy refusal: LogRefusal? = nil) throws {
        let ticket = try #require(core.log.ticket)
        var actions: [PublisherAction] = []
        core.appended(LogOutcome(ticket: ticket, refusal: refusal), now: now, into: &actions)
        take(actions)
    }

    /// What was to be kept is, or could not be.
    mutating func finishKeeping(refusedBy trouble: String? = nil) {
        var actions: [PublisherAction] = []
        core.kept(trouble, now: now, into: &actions)
        keptCount += 1
        take(actions)
    }

    /// The lives of nodes are kept, or could not be.
    mutating func finishKeepingLives(refusedBy trouble: String? = nil, isGone: Bool = false) {
        var actions: [PublisherAction] = []
        core.livesKept(trouble, isGone: isGone, now: now, into: &actions)
        take(actions)
    }

    /// This publisher led when that confirmation was asked for.
    mutating func confirm(_ number: UInt64) {
        var actions: [PublisherAction] = []
        core.confirmed(number, now: now, into: &actions)
        take(actions)
    }

    mutating func take(_ actions: [PublisherAction]) {
        for action in actions {
            let frame: [UInt8]
            switch action {
            case .reply(let peer, let bytes, _):
                replies.append((peer.withBytes { $0[4] }, bytes))
                frame = bytes
            case .broadcast(let bytes):
                broadcasts.append(bytes)
                frame = bytes
            case .keep(let bytes):
                kept.append(bytes)
                continue
            case .keepLives(let bytes):
                keptLives.append(bytes)
                if !isKeepingLivesSlow { finishKeepingLives() }
                continue
            case .keepCluster(let kept):
                keptClusters.append(kept)
                core.clusterKept(!isDiskFull, now: now)
                continue
            case .keepSlots(let bytes):
                keptSlots.append(bytes)
                core.slotsKept(!isDiskFull, now: now)
                continue
            case .confirm(let number):
                wanted.append(number)
                continue
            case .stepDown:
                stepDownCount += 1
                continue
            case .audit(let event):
                audited.append(event)
                continue
            }
            if let type = MessageType(rawValue: frame[3]) { order.append(type) }
        }
    }

    static func bytes(_ encode: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        encode(&writer)
        return writer.array
    }

    static func peer(_ number: UInt8) -> PeerID {
        [0, 0, 0, 0, number].withUnsafeBytes { bytes in
            guard let peer = PeerID(bytes) else { preconditionFailure("five bytes are a name") }
            return peer
        }
    }

    // MARK: Hearing

    /// The replies to a peer, and forgets all that was sent.
    mutating func hear(_ peer: UInt8) -> [[UInt8]] {
        defer { forget() }
        return replies.filter { $0.peer == peer }.map(\.frame)
    }

    mutating func forget() {
        replies = []
        broadcasts = []
        order = []
    }

    /// The one reply to a peer that is a `type`, decoded.
    mutating func hear<Value>(
        _ peer: UInt8, _ type: MessageType, _ decode: (MessageView) throws -> Value
    ) throws -> Value {
        let frames = hear(peer).filter { $0[3] == type.rawValue }
        #expect(frames.count == 1, "one \(type) to \(peer)")
        return try Self.decode(try #require(frames.first), decode)
    }

    static func decode<Value>(
        _ frame: [UInt8], _ decode: (MessageView) throws -> Value
    ) throws -> Value {
        try frame.withUnsafeBytes { try decode(try MessageView(decoding: $0)) }
    }

    mutating func error(to peer: UInt8) throws -> ErrorReply {
        try hear(peer, .error) { try ErrorReply(decoding: $0) }
    }

    mutating func receipt(to peer: UInt8 = 90) throws -> Receipt {
        try hear(peer, .receipt) { try Receipt(decoding: $0) }
    }

    /// The records that were broadcast since.
    var recordsSent: [SealedRecord] {
        get throws {
            try broadcasts.filter { $0[3] == MessageType.records.rawValue }
                .flatMap { try Self.decode($0) { try RecordRun(decoding: $0).records } }
        }
    }

    var heartbeats: [Heartbeat] {
        get throws {
            try broadcasts.filter { $0[3] == MessageType.heartbeat.rawValue }
                .map { try Self.decode($0) { try Heartbeat(decoding: $0.body) } }
        }
    }
}

/// What nodes and askers say.
extension Cluster {
    /// Node `number` introduces itself; its peer has the same number, its incarnation too unless
    /// told otherwise.
    mutating func hello(
        _ number: UInt8, incarnation: UInt64? = nil, log: LogID = .none, at mark: LogMark = .none,
        endpoint: String? = nil
    ) throws {
        var hello = Hello(
            incarnation: Incarnation(incarnation ?? UInt64(number)), log: log, applied: mark,
            node: try #require(NodeID("n\(number)")),
            endpoints: [endpoint ?? "tcp://127.0.0.1:75\(number)0"])
        hello.knowsSlots = knowsSlots
        send(from: number) { hello.encode(requestID: 1, into: &$0) }
    }

    /// The same, of a node that knows to which cluster it belongs.
    mutating func hello(
        _ number: UInt8, of cluster: ClusterID, log: LogID, at mark: LogMark
    ) throws {
        var hello = Hello(
            incarnation: Incarnation(UInt64(number)), log: log, applied: mark,
            node: try #require(NodeID("n\(number)")),
            endpoints: ["tcp://127.0.0.1:75\(number)0"])
        hello.cluster = cluster
        send(from: number) { hello.encode(requestID: 1, into: &$0) }
    }

    mutating func ping(
        _ number: UInt8, incarnation: UInt64? = nil, at mark: LogMark, state: NodeState = .live,
        purpose: Ping.Purpose = .lease
    ) throws -> Pong {
        forget()
        sendPing(number, incarnation: incarnation, at: mark, state: state, purpose: purpose)
        return try hear(number, .pong) { try Pong(decoding: $0) }
    }

    mutating func sendPing(
        _ number: UInt8, incarnation: UInt64? = nil, at mark: LogMark, state: NodeState = .live,
        purpose: Ping.Purpose = .lease
    ) {
        let ping = Ping(
            incarnation: Incarnation(incarnation ?? UInt64(number)), sentAt: 77, applied: mark,
            state: state, purpose: purpose)
        send(from: number) { ping.encode(requestID: 2, into: &$0) }
    }

    mutating func ack(_ number: UInt8, incarnation: UInt64? = nil, at mark: LogMark) {
        let ack = Ack(incarnation: Incarnation(incarnation ?? UInt64(number)), applied: mark)
        send(from: number) { ack.encode(requestID: 0, into: &$0) }
    }

    /// An observer, who has no incarnation, asks for everything.
    mutating func resume(observer number: UInt8, requestID: UInt64) {
        let resume = Resume(incarnation: .none, log: .none, after: .none, limit: 4_096)
        send(from: number) { resume.encode(requestID: requestID, into: &$0) }
    }

    mutating func resume(
        _ number: UInt8, incarnation: UInt64? = nil, log: LogID = .none, after mark: LogMark,
        limit: Int = 4_096
    ) {
        let resume = Resume(
            incarnation: Incarnation(incarnation ?? UInt64(number)), log: log, after: mark,
            limit: limit)
        send(from: number) { resume.encode(requestID: 3, into: &$0) }
    }

    mutating func invalidate(
        _ wait: WaitMode = .all, timeout: UInt32 = 5_000, operation: UInt64 = 0,
        from peer: UInt8 = 90, scopes: [Scope] = [Scope(.everything)]
    ) {
        let request = InvalidateRequest(
            scopes: scopes, wait: wait, timeoutMilliseconds: timeout,
            operation: OperationID(high: 0, low: operation))
        send(from: peer) { request.encode(requestID: 9, into: &$0) }
    }

    /// Three nodes that introduced themselves, follow the log and hold a lease, at 10 seconds.
    static func live(
        nodes: Int = 3, outlivesItsProcess: Bool = false,
        change: (inout PublisherPlan) -> Void = { _ in }
    ) throws -> Cluster {
        var cluster = Cluster(
            nodes: nodes, outlivesItsProcess: outlivesItsProcess, change: change)
        for number in 1...UInt8(nodes) { try cluster.hello(number) }
        cluster.tick()
        cluster.tick(at: 10)
        try cluster.renewLeases()
        cluster.forget()
        return cluster
    }

    mutating func renewLeases() throws {
        for number in 1...UInt8(nodeCount) {
            #expect(try ping(number, at: core.log.head).leaseMilliseconds == 3_000)
        }
    }
}

extension Instant {
    static func seconds(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64((seconds * 1e6).rounded()) * 1_000)
    }
}

extension LogPosition {
    static func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }
}

extension LogMark {
    static func at(_ sequence: UInt64, epoch: UInt32 = 1, digest: UInt64? = nil) -> LogMark {
        LogMark(
            position: .at(sequence, epoch: epoch), digest: LogDigest(digest ?? sequence * 1_000))
    }
}
