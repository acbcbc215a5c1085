import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A control core on a stage: a clock that is moved by hand, a publisher's log, and shards that
/// obey at once unless they are told to be slow.
struct ControlStage {
    static let log = LogID(7)

    var core: NodeControlCore
    var now = Instant(nanoseconds: 1_000_000_000)
    var records: [SealedRecord] = []
    var logID = ControlStage.log
    var epoch = Epoch(1)
    var versions = SharedVersions(configRevision: 0, topologyVersion: 0)
    /// The request id of scripted answers: of several publishers, none that is older than the
    /// connection.
    var answeredID: UInt64 = 1
    /// Shards that say nothing of what they apply.
    var slowShards: Set<Int> = []

    init(seed: UInt64 = 1) throws {
        try self.init(resuming: nil, seed: seed)
        start()
    }

    /// Has yet to be started.
    init(
        resuming: LogResumption?, publishers: [PublisherAddress] = [], seed: UInt64 = 1,
        joinWeight: JoinWeight = .none
    ) throws {
        let node = try #require(NodeID("n1"))
        core = NodeControlCore(
            identity: NodeControlIdentity(
                node: node, incarnation: Incarnation(42),
                endpoints: ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"],
                joinWeight: joinWeight),
            publishers: publishers, resuming: resuming, seed: seed)
    }

    @discardableResult
    mutating func start() -> [NodeControlAction] {
        perform { core, now, actions in core.start(now: now, into: &actions) }
    }

    // MARK: - The log

    var head: LogMark {
        records.last?.mark
            ?? LogMark(
                position: LogPosition(epoch: epoch, sequence: .none),
                digest: LogDigest(startOf: logID))
    }

    func mark(_ number: Int) -> LogMark { records[number - 1].mark }

    mutating func append(_ count: Int, word: String = "t") throws {
        for _ in 0..<count {
            let tag = try #require(Tag("\(word)\(records.count)"))
            let sequence = SequenceNumber(UInt64(records.count + 1))
            records.append(
                try SealedRecord(
                    sealing: InvalidationRecord(
                        position: LogPosition(epoch: epoch, sequence: sequence),
                        previousDigest: head.digest, operation: .none, strength: .hard,
                        scopes: [Scope(.tag(tag, in: .default))])))
        }
    }

    // MARK: - Time

    /// Moves the clock and ticks.
    @discardableResult
    mutating func wait(_ duration: Duration) -> [NodeControlAction] {
        now = now.advanced(by: duration)
        return perform { core, now, actions in core.tick(now: now, into: &actions) }
    }

    /// One turn: what `event` does, what the shards answer, and the turn's end.
    @discardableResult
    mutating func perform(
        _ event: (inout NodeControlCore, Instant, inout [NodeControlAction]) -> Void
    ) -> [NodeControlAction] {
        var actions: [NodeControlAction] = []
        event(&core, now, &actions)
        for action in actions {
            switch action {
            case .apply(let run, _): if let last = run.last { obey(last.mark, &actions) }
            case .forget(let mark, _, _): obey(mark, &actions)
            default: break
            }
        }
        core.tick(now: now, into: &actions)
        core.endTurn(now: now, into: &actions)
        return actions
    }

    private mutating func obey(_ mark: LogMark, _ actions: inout [NodeControlAction]) {
        for shard in 0..<2 where !slowShards.contains(shard) {
            core.shardApplied(ShardIndex(shard), mark: mark, now: now, into: &actions)
        }
    }

    // MARK: - Frames

    @discardableResult
    mutating func live(_ encode: (inout ByteWriter) -> Void) -> [NodeControlAction] {
        let frame = Self.frame(encode)
        return perform { core, now, actions in
            frame.withUnsafeBytes { core.receivedLive(frame: $0, now: now, into: &actions) }
        }
    }

    @discardableResult
    mutating func control(_ encode: (inout ByteWriter) -> Void) -> [NodeControlAction] {
        let frame = Self.frame(encode)
        return perform { core, now, actions in
            frame.withUnsafeBytes { core.receivedControl(frame: $0, now: now, into: &actions) }
        }
    }

    /// A frame comes from the publisher that the node addresses now.
    @discardableResult
    mutating func answer(_ encode: (UInt64, inout ByteWriter) -> Void) -> [NodeControlAction] {
        let id = answeredID
        return control { encode(id, &$0) }
    }

    @discardableResult
    mutating func heartbeat() -> [NodeControlAction] {
        let message = Heartbeat(log: logID, head: head, versions: versions)
        return live { message.encode(into: &$0) }
    }

    /// The records of these numbers come over the live channel.
    @discardableResult
    mutating func live(
        _ numbers: ClosedRange<Int>, isLazy: Bool = false
    ) -> [NodeControlAction] {
        let run = RecordRun(records: numbers.map { records[$0 - 1] }, isLazy: isLazy)
        return live { run.encode(requestID: 0, into: &$0) }
    }

    @discardableResult
    mutating func welcome(
        previousRun: Incarnation = .none, live: String = ""
    ) -> [NodeControlAction] {
        var message = Welcome(
            log: logID, head: head, tail: SequenceNumber(1), leaseMilliseconds: 3_000,
            heartbeatMilliseconds: 500, versions: versions, liveEndpoint: live)
        message.previousRun = previousRun
        return answer { message.encode(requestID: $0, into: &$1) }
    }

    @discardableResult
    mutating func configuration(_ text: String = "") -> [NodeControlAction] {
        let message = ConfigReport(revision: versions.configRevision, text: text)
        return answer { message.encode(requestID: $0, into: &$1) }
    }

    @discardableResult
    mutating func pong(to ping: Ping, lease: UInt32 = 3_000) -> [NodeControlAction] {
        let message = Pong(
            sentAt: ping.sentAt, log: logID, head: head, leaseMilliseconds: lease,
            versions: versions)
        return answer { message.encode(requestID: $0, into: &$1) }
    }

    /// What follows the mark asked for, as one frame carries it.
    @discardableResult
    mutating func replay(_ resume: Resume, requestID: UInt64? = nil) -> [NodeControlAction] {
        let missing = records.drop { $0.position <= resume.after.position }.prefix(resume.limit)
        let run = RecordRun(
            records: Array(missing.prefix(RecordRun.prefixThatFits(missing))), head: head)
        return answer { run.encode(requestID: requestID ?? $0, into: &$1) }
    }

    @discardableResult
    mutating func error(
        _ code: ErrorCode, _ message: String, to requestID: UInt64
    ) -> [NodeControlAction] {
        control { ErrorReply(code, message).encode(requestID: requestID, into: &$0) }
    }

    static func frame(_ encode: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        encode(&writer)
        return writer.array
    }

    // MARK: - Stories that many tests begin with

    /// Heartbeat, HELLO, WELCOME at the log's head, what is shared, PING, PONG: live.
    mutating func becomeLive() throws {
        heartbeat()
        let ping = try #require(Sent.pings(in: welcome()).first)
        configuration()
        let topology = TopologyReport(
            version: versions.topologyVersion, kind: .sharded, controlEndpoint: "",
            liveEndpoint: "", nodes: [])
        answer { topology.encode(requestID: $0, into: &$1) }
        pong(to: ping)
        #expect(core.standing.state == .live)
    }
}

/// A frame that the core had sent on the control connection, decoded.
struct Sent {
    let type: MessageType
    let requestID: UInt64
    let frame: [UInt8]

    static func all(in actions: [NodeControlAction]) -> [Sent] {
        actions.compactMap { action in
            guard case .sendControl(let frame) = action else { return nil }
            return frame.withUnsafeBytes { bytes in
                guard let view = try? MessageView(decoding: bytes) else { return nil }
                return Sent(type: view.type, requestID: view.requestID, frame: frame)
            }
        }
    }

    static func types(in actions: [NodeControlAction]) -> [MessageType] {
        all(in: actions).map(\.type)
    }

    static func of(_ type: MessageType, in actions: [NodeControlAction]) -> [Sent] {
        all(in: actions).filter { $0.type == type }
    }

    static func pings(in actions: [NodeControlAction]) -> [Ping] {
        of(.ping, in: actions).compactMap { sent in
            sent.body { try? Ping(decoding: $0.body) }
        }
    }

    static func resumes(in actions: [NodeControlAction]) -> [Resume] {
        of(.resume, in: actions).compactMap { sent in
            sent.body { try? Resume(decoding: $0.body) }
        }
    }

    static func hellos(in actions: [NodeControlAction]) -> [Hello] {
        of(.hello, in: actions).compactMap { sent in
            sent.body { try? Hello(decoding: $0) }
        }
    }

    static func acks(in actions: [NodeControlAction]) -> [LogMark] {
        of(.ack, in: actions).compactMap { sent in
            sent.body { try? Ack(decoding: $0.body).applied }
        }
    }

    private func body<Value>(_ decode: (MessageView) -> Value?) -> Value? {
        frame.withUnsafeBytes { bytes in
            (try? MessageView(decoding: bytes)).flatMap(decode)
        }
    }
}

extension [NodeControlAction] {
    var reports: [NodeControlReport] {
        compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    var applied: [SealedRecord] {
        flatMap { action -> [SealedRecord] in
            if case .apply(let records, _) = action { records } else { [] }
        }
    }

    /// Whether records are handed to the shards, of which somebody waits for the word or nobody.
    func applies(isAwaited: Bool) -> Bool {
        contains { if case .apply(_, isAwaited) = $0 { true } else { false } }
    }

    var forgets: Bool {
        contains { if case .forget = $0 { true } else { false } }
    }
}
