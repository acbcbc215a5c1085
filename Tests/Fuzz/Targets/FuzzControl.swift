import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire

@testable import FrameSamples

/// A node's control thread between a publisher and two shards that a script plays.
struct FuzzControl {
    private static let shardCount = 2

    var core: NodeControlCore
    var actions: [NodeControlAction] = []
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var log = FuzzLog(id: LogID(7))
    var versions = SharedVersions(configRevision: 1, topologyVersion: 1)
    /// How far what was handed to the shards goes.
    private var handed = LogMark.none
    private var obeyed = [LogMark](repeating: .none, count: shardCount)
    /// The newest request of each kind that was sent.
    var asked: [MessageType: UInt64] = [:]
    private var lastPing: UInt64 = 0
    private var isStopped = false

    init(isResuming: Bool, areSeveral: Bool = false) {
        log.append([Scope(.everything)], .hard)
        let resumption = isResuming ? LogResumption(log: log.id, mark: log.head) : nil
        if isResuming { handed = log.head }
        core = NodeControlCore(
            identity: NodeControlIdentity(
                node: .some, incarnation: Incarnation(42),
                endpoints: ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]),
            publishers: areSeveral
                ? [PublisherAddress(control: "tcp://a:1"), PublisherAddress(control: "tcp://b:1")]
                : [], resuming: resumption, seed: 1)
        core.start(now: now, into: &actions)
        judge()
    }

    // MARK: Looking

    mutating func judge() {
        core.endTurn(now: now, into: &actions)
        let wanted = actions
        actions = []
        for action in wanted {
            switch action {
            case .apply(let records, _): hand(records)
            case .forget(let mark, _, _): handed = mark
            case .sendControl(let frame): read(frame)
            case .topology(let frame): readTopology(frame)
            case .fatal(let sentence): check(!sentence.isEmpty, "an end has a reason")
            case .connectControl(let endpoint) where !endpoint.hasPrefix("tcp://"):
                core.cannotConnect(to: endpoint, because: "it is none", now: now, into: &actions)
            default: break
            }
        }
    }

    /// Shards are told records one after the other.
    private mutating func hand(_ records: [SealedRecord]) {
        for record in records {
            check(record.position.directlyFollows(handed.position), "no record is missing")
            check(record.record.previousDigest == handed.digest, "a record follows by its digest")
            handed = record.mark
        }
    }

    private mutating func read(_ frame: [UInt8]) {
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let message = try MessageView(decoding: bytes)
                _ = try DecodedBody.decode(message)
                asked[message.type] = message.requestID
                if message.type == .ping { lastPing = try Ping(decoding: message.body).sentAt }
            } catch {
                fatalError("what a node says is not of the protocol: \(error.sentence)")
            }
        }
    }

    private func readTopology(_ frame: [UInt8]) {
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                _ = try TopologyReport(decoding: MessageView(decoding: bytes))
            } catch {
                fatalError("a topology that is handed on is none: \(error.sentence)")
            }
        }
    }

    mutating func end() {
        for _ in 0..<8 {
            now = now.advanced(by: .seconds(30))
            core.tick(now: now, into: &actions)
            judge()
        }
        core.stop(now: now, into: &actions)
        judge()
    }

    // MARK: Happening

    mutating func happen(_ kind: Int, _ script: inout Script) {
        switch kind {
        case 0: control(script.isOdd() ? script.run() : script.anyFrame())
        case 1: live(script.isOdd() ? script.run() : script.anyFrame())
        case 2: log.append(script.scopes(), script.strength())
        case 3: live(liveRecords(&script))
        case 4, 5: live(heartbeat(&script))
        case 6, 7: control(welcome(&script))
        case 8, 9: control(pong(&script))
        case 10: control(replay(&script))
        case 11: control(other(&script))
        case 12, 13: wait(&script)
        case 14: obey(&script)
        case 15: publish(&script)
        case 16:
            core.askHead(
                ShardIndex(script.below(2)), number: UInt64(script.byte()), now: now, into: &actions
            )
        default: leave(&script)
        }
    }

    private mutating func control(_ frame: [UInt8]) {
        frame.withUnsafeBytes { core.receivedControl(frame: $0, now: now, into: &actions) }
    }

    private mutating func live(_ frame: [UInt8]) {
        frame.withUnsafeBytes { core.receivedLive(frame: $0, now: now, into: &actions) }
    }

    private mutating func wait(_ script: inout Script) {
        now = now.advanced(by: script.duration())
        core.tick(now: now, into: &actions)
        _ = core.nextDeadline
    }

    private mutating func obey(_ script: inout Script) {
        let shard = script.below(Self.shardCount)
        let mark = script.byte() < 240 ? handed : script.mark()
        obeyed[shard] = mark
        core.shardApplied(ShardIndex(shard), mark: mark, now: now, into: &actions)
    }

    private mutating func publish(_ script: inout Script) {
        let request = ShardPublishRequest(
            shard: ShardIndex(script.below(Self.shardCount)), ticket: UInt64(script.byte()),
            scopes: script.scopes(), operation: OperationID(high: 1, low: UInt64(script.byte())))
        core.publish(request, now: now, into: &actions)
    }

    private mutating func leave(_ script: inout Script) {
        switch script.below(8) {
        case 0: core.drain(now: now, into: &actions)
        case 1, 2: core.shardDrained(ShardIndex(script.below(Self.shardCount)))
        case 3 where script.byte() == 0: core.stop(now: now, into: &actions)
        case 4: log.begin(log.head.position.epoch.next)
        case 5:
            log = FuzzLog(id: LogID(UInt64(script.byte()) + 1), epoch: 1 + UInt32(script.byte()))
        case 6: versions.configRevision &+= 1
        default: versions.topologyVersion &+= 1
        }
    }
}
