import ByteCoding
import CacheModel
import CacheWire
import PublisherServer
import TestSupport
import ZeroMQ

/// A node made of two sockets and the wire, as docs/protocol.md 8.3 tells it: it greets, follows
/// the log, acknowledges and asks for leases. It holds no entry.
final class FakeNode {
    let id: NodeID
    let incarnation: Incarnation
    private let control: Socket
    private let live: Socket
    private var writer = ByteWriter()
    private var frame = Frame()

    private(set) var log = LogID.none
    private(set) var applied = LogMark.none
    private(set) var records: [SealedRecord] = []
    private(set) var pongs: [Pong] = []
    private(set) var heartbeats: [Heartbeat] = []
    private(set) var welcomes = 0
    /// Which run of it had a lease last, as it was told last.
    private(set) var previousRun = Incarnation.none
    private(set) var truncations = 0
    private(set) var strangerErrors = 0
    /// Loses every RECORDS message, as a full queue would.
    var losesRecords = false
    /// Receives nothing, as a stopped process would.
    var isStopped = false

    init(
        _ context: Context, _ endpoints: PublisherEndpoints, id: String, incarnation: UInt64
    ) throws {
        guard let id = NodeID(id) else { throw GaveUp("that is no node's id") }
        self.id = id
        self.incarnation = Incarnation(incarnation)
        control = try Socket(context, .dealer)
        try control.set(.reconnectIntervalMax, to: .milliseconds(100))
        try control.connect(endpoints.control)
        live = try Socket(context, .sub)
        try live.set(.reconnectIntervalMax, to: .milliseconds(100))
        try live.subscribe(prefix: MessageHeader.topic(of: .records))
        try live.subscribe(prefix: MessageHeader.topic(of: .heartbeat))
        try live.connect(endpoints.live)
    }

    // MARK: Saying

    func hello() throws {
        let hello = Hello(
            incarnation: incarnation, log: log, applied: applied, node: id,
            endpoints: ["tcp://127.0.0.1:1"])
        try send { hello.encode(requestID: 1, into: &$0) }
    }

    func ping() throws {
        let ping = Ping(incarnation: incarnation, sentAt: 5, applied: applied, state: .live)
        try send { ping.encode(requestID: 2, into: &$0) }
    }

    func resume() throws {
        let resume = Resume(incarnation: incarnation, log: log, after: applied, limit: 4_096)
        try send { resume.encode(requestID: 3, into: &$0) }
    }

    private func acknowledge() throws {
        let ack = Ack(incarnation: incarnation, applied: applied)
        try send { ack.encode(requestID: 0, into: &$0) }
    }

    /// Says it, or loses it while nobody is connected.
    private func send(_ encode: (inout ByteWriter) -> Void) throws {
        writer.removeAll()
        encode(&writer)
        _ = try control.send(writer.bytes, more: false)
    }

    // MARK: Hearing

    /// Takes what has come in on both channels.
    func turn() throws {
        guard !isStopped else { return }
        while try live.receive(into: &frame) { try take() }
        while try control.receive(into: &frame) { try take() }
    }

    private func take() throws {
        let message = try MessageView(decoding: frame.bytes)
        switch message.type {
        case .welcome:
            let welcome = try Welcome(decoding: message)
            welcomes += 1
            previousRun = welcome.previousRun
            if applied == .none { applied = welcome.head }
            log = welcome.log
            if applied != welcome.head { try resume() }
        case .records where losesRecords: return
        case .records: try follow(RecordRun(decoding: message).records)
        case .replay: try follow(RecordRun(decoding: message).records)
        case .truncated:
            let truncated = try Truncated(decoding: message.body)
            truncations += 1
            (log, applied) = (truncated.log, truncated.head)
            try acknowledge()
        case .pong: pongs.append(try Pong(decoding: message.body))
        case .heartbeat:
            let heartbeat = try Heartbeat(decoding: message.body)
            heartbeats.append(heartbeat)
            if log != .none, heartbeat.head != applied { try resume() }
        case .error:
            guard try ErrorReply(decoding: message).knownCode == .notRegistered else { return }
            strangerErrors += 1
            try hello()
        default: throw GaveUp("\(message.type) is not for a node")
        }
    }

    private func follow(_ run: [SealedRecord]) throws {
        let before = applied
        for record in run
        where record.position.directlyFollows(applied.position)
            && record.record.previousDigest == applied.digest
        {
            records.append(record)
            applied = record.mark
        }
        if applied != before { try acknowledge() }
    }
}
