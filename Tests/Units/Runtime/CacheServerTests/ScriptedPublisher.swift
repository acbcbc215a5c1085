import ByteCoding
import CacheModel
import CacheWire
import TestSupport
import ZeroMQ

/// The log of publishers that take turns in leading.
final class ScriptedLog {
    let id = LogID(7)
    let versions = SharedVersions(configRevision: 0, topologyVersion: 0)
    private(set) var records: [SealedRecord] = []

    var head: LogMark {
        records.last?.mark
            ?? LogMark(
                position: LogPosition(epoch: Epoch(1), sequence: .none),
                digest: LogDigest(startOf: id))
    }

    func append() throws -> SealedRecord {
        let sequence = SequenceNumber(UInt64(records.count + 1))
        let record = try SealedRecord(
            sealing: InvalidationRecord(
                position: LogPosition(epoch: Epoch(1), sequence: sequence),
                previousDigest: head.digest, operation: .none, strength: .hard,
                scopes: [Scope(.namespace(.default))]))
        records.append(record)
        return record
    }
}

/// One of several publishers, with real sockets and answers that the test chooses. It acts when
/// ``turn()`` is called.
final class ScriptedPublisher {
    enum Role: Hashable {
        case leads
        case silent
        /// It answers NOT LEADER with this endpoint.
        case names(String)
    }

    private enum Failure: Error { case notSent }

    let control: Endpoint
    let live: Endpoint
    var role = Role.silent
    /// The live endpoint in its WELCOME, if it is not the true one.
    var namedLive: String?
    /// What it was asked, in order.
    private(set) var asked: [MessageType] = []
    /// The greatest mark that the node has acknowledged here.
    private(set) var acknowledged = LogMark.none
    private let log: ScriptedLog
    private let router: Socket
    private let broadcaster: Socket
    private var peer = Frame()
    private var body = Frame()
    private var heartbeatAt = ContinuousClock.now

    init(_ context: Context, _ log: ScriptedLog) throws {
        self.log = log
        router = try Socket(context, .router)
        try router.set(.linger, to: .zero)
        broadcaster = try Socket(context, .pub)
        try broadcaster.set(.linger, to: .zero)
        control = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        live = try broadcaster.bind(Endpoint("tcp://127.0.0.1:*"))
    }

    /// Answers what has arrived, and sends a heartbeat when one is due.
    func turn() throws {
        if role == .leads, ContinuousClock.now >= heartbeatAt {
            heartbeatAt = ContinuousClock.now + .milliseconds(100)
            let message = Heartbeat(log: log.id, head: log.head, versions: log.versions)
            try broadcast { message.encode(into: &$0) }
        }
        while try router.receive(into: &peer) {
            guard peer.hasMore, try router.receive(into: &body) else { continue }
            try answer()
        }
    }

    func append() throws {
        let run = RecordRun(records: [try log.append()])
        try broadcast { run.encode(requestID: 0, into: &$0) }
    }

    func sayFarewell() throws {
        try broadcast { Heartbeat.farewell.encode(into: &$0) }
    }

    private func broadcast(_ encode: (inout ByteWriter) -> Void) throws {
        var writer = ByteWriter()
        encode(&writer)
        _ = try writer.array.withUnsafeBytes { bytes throws(ZeroMQError) in
            try broadcaster.send(bytes, more: false)
        }
    }

    private func answer() throws {
        let message = try MessageView(decoding: body.bytes)
        asked.append(message.type)
        var writer = ByteWriter()
        switch role {
        case .silent: return
        case .names(let leader):
            NotLeader(controlEndpoint: leader).encode(requestID: message.requestID, into: &writer)
        case .leads:
            guard try lead(message, &writer) else { return }
        }
        _ = try router.send(&peer, more: true)
        _ = try writer.array.withUnsafeBytes { bytes throws(ZeroMQError) in
            try router.send(bytes, more: false)
        }
    }

    /// - Returns: whether there is an answer.
    private func lead(_ message: MessageView, _ writer: inout ByteWriter) throws -> Bool {
        let id = message.requestID
        switch message.type {
        case .hello:
            Welcome(
                log: log.id, head: log.head, tail: SequenceNumber(1), leaseMilliseconds: 5_000,
                heartbeatMilliseconds: 500, versions: log.versions,
                liveEndpoint: namedLive ?? live.description
            ).encode(requestID: id, into: &writer)
        case .ping:
            let ping = try Ping(decoding: message.body)
            acknowledge(ping.applied)
            Pong(
                sentAt: ping.sentAt, log: log.id, head: log.head, leaseMilliseconds: 5_000,
                versions: log.versions
            ).encode(requestID: id, into: &writer)
        case .resume:
            let after = try Resume(decoding: message.body).after.position
            let run = RecordRun(
                records: Array(log.records.drop { $0.position <= after }), head: log.head)
            run.encode(requestID: id, into: &writer)
        case .config:
            ConfigReport(revision: 0, text: "version: 1\nnodes: [{id: n1}]\n")
                .encode(requestID: id, into: &writer)
        case .ack:
            acknowledge(try Ack(decoding: message.body).applied)
            return false
        default: return false
        }
        return true
    }

    private func acknowledge(_ mark: LogMark) {
        if mark.position > acknowledged.position { acknowledged = mark }
    }
}
