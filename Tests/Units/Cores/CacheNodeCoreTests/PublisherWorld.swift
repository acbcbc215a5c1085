import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// One node and several publishers of one log, each with a behaviour that the test sets. Time moves
/// from event to event; a message takes a millisecond.
struct PublisherWorld {
    enum Behaviour: Hashable {
        case leads
        case silent
        /// It answers NOT LEADER with this endpoint.
        case names(String)
    }

    /// No socket can connect to it.
    static let unusable = "nonsense"

    private struct Message {
        var at: Instant
        /// The control connection on which it was answered; `nil`: of the live channel.
        var connection: Int?
        var frame: [UInt8]
    }

    private(set) var stage: ControlStage
    var behaviours: [String: Behaviour] = [:]
    /// Whether answers of a connection that was left arrive nevertheless.
    var deliversLate = false
    private(set) var connected: String
    private(set) var subscribed: String?
    private(set) var hellos: [Instant] = []
    private(set) var reports: [NodeControlReport] = []
    private var connection = 0
    private var messages: [Message] = []
    private var heartbeatAt: Instant

    init(_ names: [String], seed: UInt64 = 1) throws {
        stage = try ControlStage(
            resuming: nil, publishers: names.map { PublisherAddress(control: $0) }, seed: seed)
        connected = names[0]
        heartbeatAt = stage.now
        try stage.append(1)
        for name in names { behaviours[name] = .silent }
    }

    static func live(of name: String) -> String { "live of \(name)" }

    var leader: String? { behaviours.first { $0.value == .leads }?.key }

    /// Whether the node follows the leader on both channels, with a lease, at the head.
    var isJoined: Bool {
        guard let leader, connected == leader else { return false }
        return subscribed == Self.live(of: leader) && stage.core.link.isJoined
            && stage.core.standing.state == .live && stage.core.applied == stage.head
    }

    mutating func start() {
        perform(stage.start())
    }

    /// The leader appends and broadcasts.
    mutating func append() throws {
        try stage.append(1)
        let run = RecordRun(records: [try #require(stage.records.last)])
        broadcast { run.encode(requestID: 0, into: &$0) }
    }

    mutating func farewell() {
        broadcast { Heartbeat.farewell.encode(into: &$0) }
    }

    private mutating func broadcast(_ encode: (inout ByteWriter) -> Void) {
        guard let leader, subscribed == Self.live(of: leader) else { return }
        messages.append(
            Message(at: soon, connection: nil, frame: ControlStage.frame(encode)))
    }

    private var soon: Instant { stage.now.advanced(by: .milliseconds(1)) }

    /// - Returns: how long it took until `condition` held; `nil` if it did not within `limit`.
    @discardableResult
    mutating func run(
        for limit: Duration, until condition: (Self) -> Bool = { _ in false }
    ) throws -> Duration? {
        let (start, end) = (stage.now, stage.now.advanced(by: limit))
        var stepCount = 0
        while stage.now < end {
            if condition(self) { return stage.now.elapsed(since: start) }
            stepCount += 1
            try #require(stepCount < 20_000, "it spins")
            step(until: end)
        }
        return nil
    }

    private mutating func step(until end: Instant) {
        let deadlines = [messages.map(\.at).min(), stage.core.nextDeadline, heartbeatAt, end]
        let next = max(deadlines.compactMap(\.self).min() ?? end, stage.now)
        perform(stage.wait(next.elapsed(since: stage.now)))
        if heartbeatAt <= stage.now {
            heartbeatAt = stage.now.advanced(by: .milliseconds(500))
            let message = Heartbeat(
                log: stage.logID, head: stage.head, versions: stage.versions)
            broadcast { message.encode(into: &$0) }
        }
        let due = messages.filter { $0.at <= stage.now }
        messages.removeAll { $0.at <= stage.now }
        for message in due { deliver(message) }
    }

    private mutating func deliver(_ message: Message) {
        guard let connection = message.connection else {
            return perform(stage.live { $0.append(message.frame) })
        }
        guard connection == self.connection || deliversLate else { return }
        perform(stage.control { $0.append(message.frame) })
    }

    private mutating func perform(_ actions: [NodeControlAction]) {
        for action in actions {
            switch action {
            case .connectControl(Self.unusable):
                perform(
                    stage.perform { core, now, actions in
                        core.cannotConnect(
                            to: Self.unusable, because: "it is none", now: now, into: &actions)
                    })
            case .connectControl(let endpoint):
                connected = endpoint
                connection += 1
            case .subscribe(let live): subscribed = live
            case .sendControl(let frame): answer(frame)
            case .report(let report): reports.append(report)
            default: break
            }
        }
    }

    private mutating func answer(_ frame: [UInt8]) {
        guard let sent = Sent.all(in: [.sendControl(bytes: frame)]).first else { return }
        if sent.type == .hello { hellos.append(stage.now) }
        let answer: [UInt8]?
        switch behaviours[connected] ?? .silent {
        case .silent: answer = nil
        case .names(let leader):
            answer = ControlStage.frame {
                NotLeader(controlEndpoint: leader).encode(requestID: sent.requestID, into: &$0)
            }
        case .leads: answer = leading(sent)
        }
        guard let answer else { return }
        messages.append(Message(at: soon, connection: connection, frame: answer))
    }

    private func leading(_ sent: Sent) -> [UInt8]? {
        let (id, versions) = (sent.requestID, stage.versions)
        switch sent.type {
        case .hello:
            return ControlStage.frame {
                Welcome(
                    log: stage.logID, head: stage.head, tail: SequenceNumber(1),
                    leaseMilliseconds: 3_000, heartbeatMilliseconds: 500, versions: versions,
                    liveEndpoint: Self.live(of: connected)
                ).encode(requestID: id, into: &$0)
            }
        case .ping:
            return Sent.pings(in: [.sendControl(bytes: sent.frame)]).first.map { ping in
                ControlStage.frame {
                    Pong(
                        sentAt: ping.sentAt, log: stage.logID, head: stage.head,
                        leaseMilliseconds: 3_000, versions: versions
                    ).encode(requestID: id, into: &$0)
                }
            }
        case .resume:
            return Sent.resumes(in: [.sendControl(bytes: sent.frame)]).first.map { resume in
                let missing = stage.records.drop { $0.position <= resume.after.position }
                let run = RecordRun(records: Array(missing), head: stage.head)
                return ControlStage.frame { run.encode(requestID: id, into: &$0) }
            }
        case .config:
            return ControlStage.frame {
                ConfigReport(revision: versions.configRevision, text: "")
                    .encode(requestID: id, into: &$0)
            }
        default: return nil
        }
    }
}
