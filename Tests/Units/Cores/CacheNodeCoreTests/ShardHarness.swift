import ByteCoding
import CacheAccess
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// One shard's core in a test's hands: requests go in as frames, answers come out decoded.
struct ShardHarness: ~Copyable {
    /// One result with all its fields, copied out of its frame.
    struct Outcome {
        var status: ResultStatus
        var flags: ResultFlags
        var detail: UInt8
        var value: [UInt8]
        var ttl: UInt64
        var age: UInt64
        var fields: ResultFields

        var refusal: StoreRefusal? {
            status == .refused ? StoreRefusal(rawValue: detail) : nil
        }
        var text: String { String(decoding: value, as: UTF8.self) }
    }

    enum Reply {
        case results(Proof, [Outcome])
        case error(ErrorReply)
        case explanation(Explanation)
        case done(Done)
        case counted(CountReply)
        case comparison(OriginComparison)
        case other(MessageType)
    }

    var core: ShardCore
    var replies = ReplyBuffer()
    var effects: [ShardEffect] = []
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var nextRequestID: UInt64 = 1
    var log = LogBuilder()
    static let peer = ShardHarness.makePeer(1)

    static func makePeer(_ number: UInt8) -> PeerID {
        let bytes: [UInt8] = [0, number, 0, 0, 7]
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            preconditionFailure("five bytes are a routing id")
        }
        return peer
    }

    init(
        isReplicated: Bool = false, memoryBytes: Int = 64 << 20, isLive: Bool = true,
        disk: DiskLife? = nil, change: (inout ShardOptions) -> Void = { _ in }
    ) {
        guard let node = NodeID("n1") else { preconditionFailure("n1 is a name") }
        var options = ShardOptions(
            node: node, shardIndex: ShardIndex(0),
            incarnation: Incarnation(disk?.incarnation ?? 77), memoryBytes: memoryBytes,
            seed: 42)
        options.hasDisk = disk != nil
        options.slowAfter = .milliseconds(100)
        options.notesTraces = true
        options.diskWriteBytesPerSecond = disk?.writeBytesPerSecond
        change(&options)
        core = ShardCore(options: options)
        if disk?.missing != .configuration { core.configure([:], fallback: .standard) }
        if disk?.hasHeardOfLog ?? true {
            core.forget(
                continuingFrom: log.head, of: LogID(1), now: now, effects: &effects)
        }
        effects = []
        if disk?.missing != .topology {
            core.setTopology(frame: Self.topology(isReplicated ? .replicated : .sharded), now: now)
        }
        if isLive { makeLive() }
    }

    /// What a shard has not received yet.
    enum Missing { case configuration, topology }

    /// A life of a shard with a disk tier.
    struct DiskLife {
        var incarnation: UInt64 = 77
        /// Whether it follows a log before the tier is open.
        var hasHeardOfLog = true
        var writeBytesPerSecond: Int?
        var missing: Missing?
    }

    /// A shard without a disk tier that has not received its configuration.
    static func unconfigured(isReplicated: Bool = false) -> ShardHarness {
        var options: ShardOptions?
        var harness = ShardHarness(isReplicated: isReplicated) { options = $0 }
        if let options { harness.core = ShardCore(options: options) }
        harness.core.forget(
            continuingFrom: harness.log.head, of: LogID(1), now: harness.now,
            effects: &harness.effects)
        harness.effects = []
        harness.core.setTopology(
            frame: topology(isReplicated ? .replicated : .sharded), now: harness.now)
        harness.makeLive()
        return harness
    }

    static func topology(
        _ kind: TopologyReport.Kind, _ nodes: [TopologyReport.Node] = []
    ) -> [UInt8] {
        var writer = ByteWriter()
        TopologyReport(
            version: 1, kind: kind, controlEndpoint: "tcp://127.0.0.1:1",
            liveEndpoint: "tcp://127.0.0.1:2", nodes: nodes
        ).encode(requestID: 0, into: &writer)
        return writer.array
    }

    mutating func makeLive(for lease: Duration = .seconds(3_600)) {
        var standing = NodeStanding.unheard
        standing.state = .live
        standing.leaseExpiresAt = now.advanced(by: lease)
        core.setStanding(standing)
    }

    mutating func advance(by duration: Duration) {
        now = now.advanced(by: duration)
    }

    /// Hands one frame over and decodes what comes back, if anything does.
    mutating func send(
        _ frame: [UInt8], from peer: PeerID = ShardHarness.peer,
        of principal: PrincipalNumber = .unknown
    ) -> [Reply] {
        replies.removeAll()
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: peer, bytes: bytes, principal: principal)]
            _ = frames.withUnsafeBufferPointer { frames in
                core.turn(frames, from: 0, now: now, into: &replies, effects: &effects)
            }
        }
        return takeReplies()
    }

    mutating func takeReplies() -> [Reply] {
        var decoded: [Reply] = []
        for entry in replies.entries { decoded.append(Self.decode(replies.bytes(of: entry))) }
        replies.removeAll()
        return decoded
    }

    /// Lets the core answer what waits and is ready by now.
    mutating func finishWaiting() -> [Reply] {
        replies.removeAll()
        core.finishWaiting(now: now, into: &replies, effects: &effects)
        return takeReplies()
    }

    /// Applies one more record.
    mutating func invalidate(
        _ scopes: Scope..., strength: InvalidationRecord.Strength = .hard, isAwaited: Bool = true
    ) -> LogPosition {
        let record = log.append(scopes, strength: strength)
        core.apply([record], isAwaited: isAwaited, now: now, effects: &effects)
        return record.position
    }

    /// The log is another one: what happened meanwhile nobody knows.
    mutating func beginEpoch(_ epoch: UInt32) {
        log.begin(Epoch(epoch))
        core.forget(continuingFrom: log.head, of: LogID(1), now: now, effects: &effects)
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> Reply {
        do {
            let message = try MessageView(decoding: bytes)
            switch message.type {
            case .results:
                var reader = ByteReader(message.body)
                let proof = try Proof(decoding: &reader)
                var outcomes: [Outcome] = []
                for _ in 0..<message.count { outcomes.append(try Self.outcome(&reader)) }
                try reader.expectEnd()
                return .results(proof, outcomes)
            case .error: return .error(try ErrorReply(decoding: message))
            case .explanation: return .explanation(try Explanation(decoding: message))
            case .comparison:
                return .comparison(try OriginComparison(decoding: message.body))
            case .counted: return .counted(try CountReply(decoding: message.body))
            case .done: return .done(try Done(decoding: message.body))
            default: return .other(message.type)
            }
        } catch {
            preconditionFailure("a shard's reply is not of the protocol: \(error)")
        }
    }

    private static func outcome(_ reader: inout ByteReader) throws -> Outcome {
        let result = try OperationResult(decoding: &reader)
        return Outcome(
            status: try #require(result.status), flags: result.flags, detail: result.detail,
            value: [UInt8](result.value), ttl: result.ttlMilliseconds,
            age: result.ageMilliseconds, fields: try ResultFields(decoding: result.fields))
    }
}

/// A log in a test's hands: seals records one after the other.
struct LogBuilder {
    private(set) var head = LogMark(
        position: LogPosition(epoch: Epoch(1), sequence: .none), digest: LogDigest(99))

    /// Goes on in another epoch, at its beginning.
    mutating func begin(_ epoch: Epoch) {
        head = LogMark(
            position: LogPosition(epoch: epoch, sequence: .none), digest: LogDigest(98))
    }

    /// Goes on after another record than was sealed last.
    mutating func goOn(after record: SealedRecord) { head = record.mark }

    mutating func append(
        _ scopes: [Scope], strength: InvalidationRecord.Strength = .hard
    ) -> SealedRecord {
        let record = InvalidationRecord(
            position: head.position.next, previousDigest: head.digest, operation: .none,
            strength: strength, scopes: scopes)
        do {
            let sealed = try SealedRecord(sealing: record)
            head = sealed.mark
            return sealed
        } catch {
            preconditionFailure("a test's record is within bounds: \(error)")
        }
    }
}
