import ByteCoding
import CacheAccess
import CacheDisk
import CacheLoading
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire

@testable import FrameSamples

/// One shard between a network, a publisher, a disk and an origin that a script plays.
struct FuzzShard: ~Copyable {
    struct Setting: OptionSet {
        let rawValue: UInt8

        static let isReplicated = Setting(rawValue: 1)
        static let isGuarded = Setting(rawValue: 2)
        static let readsThrough = Setting(rawValue: 4)
        static let writesBehind = Setting(rawValue: 8)
        static let hasDisk = Setting(rawValue: 16)
        static let isSuspect = Setting(rawValue: 32)
        static let hasShortMemory = Setting(rawValue: 64)
        static let holdsBack = Setting(rawValue: 128)
    }

    var core: ShardCore
    var replies = ReplyBuffer()
    var effects: [ShardEffect] = []
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var log = FuzzLog()
    /// The last fill token that was handed out.
    var token: FillToken?
    var uploadID: UInt64 = 1
    /// What is under way elsewhere.
    var loads: [ShardLoad] = []
    var writes: [WriteOrder] = []
    var publishes: [ShardPublishRequest] = []
    var headQuestions: [UInt64] = []
    var queueQuestions: [UInt64] = []
    /// What is under way at once is bounded by the script's length alone.
    var file: FuzzFile?
    var commands: [DiskCommand] = []
    let setting: Setting

    init(_ setting: Setting) {
        self.setting = setting
        var options = ShardOptions(
            node: .some, shardIndex: ShardIndex(0), incarnation: Incarnation(77),
            memoryBytes: setting.contains(.hasShortMemory) ? 256 << 10 : 4 << 20, seed: 42)
        options.isGuarded = setting.contains(.isGuarded)
        options.isAudited = setting.contains(.isGuarded)
        options.hasDisk = setting.contains(.hasDisk)
        options.sampleEvery = 2
        options.tierLimits = Self.limits(options.memoryBytes)
        core = ShardCore(options: options)
        core.configure(Self.policies(setting), fallback: Self.policy(setting))
        core.setTopology(frame: Self.topology(setting), now: now)
        if options.isGuarded { core.setAccess(Self.table) }
        core.forget(continuingFrom: log.head, of: log.id, now: now, effects: &effects)
        if options.hasDisk { attachDisk() }
        setStanding(.live, lease: .seconds(3_600))
    }

    /// Tables so small that they overflow within a script.
    private static func limits(_ memoryBytes: Int) -> MemoryTierLimits {
        var limits = MemoryTierLimits(residentBytesMax: memoryBytes)
        limits.tagsMax = 7
        limits.prefixFloorsMax = 5
        limits.prefixLengthsMax = 2
        limits.pacedScopesMax = 2
        limits.pacedRangesMax = 4
        limits.keyFloorsMax = 8
        limits.loadLeasesMax = 3
        return limits
    }

    static func policy(_ setting: Setting) -> NamespacePolicy {
        var policy = NamespacePolicy()
        policy.timeToLive = .seconds(60)
        policy.timeToLiveJitter = Percent(10) ?? .none
        policy.valueBytesMax = 64 << 10
        policy.suspect = setting.contains(.isSuspect) ? .revalidate : .serve
        policy.blindSet = setting.contains(.holdsBack) ? .holdOff : .allow
        guard setting.contains(.readsThrough) else { return policy }
        var origin = OriginPolicy(url: "http://origin/{key}")
        origin.staleWhileRevalidate = .seconds(10)
        origin.staleIfError = .seconds(20)
        origin.softTimeout = .milliseconds(100)
        origin.refreshShare = Percent(20) ?? .none
        origin.writesBehind = setting.contains(.writesBehind)
        policy.origin = origin
        return policy
    }

    /// One namespace lags, one has a quota, the others are as the rest.
    static func policies(_ setting: Setting) -> [Namespace: NamespacePolicy] {
        guard let sessions = Namespace("sessions"), let pages = Namespace("pages") else {
            return [:]
        }
        var lagging = policy(setting)
        lagging.replicaLag = .milliseconds(500)
        var bounded = NamespacePolicy()
        bounded.memory = MemoryQuota(most: Percent(20) ?? .none, guaranteed: .none)
        bounded.blindSet = .reject
        return [sessions: lagging, pages: bounded]
    }

    static func topology(_ setting: Setting, version: UInt32 = 1) -> [UInt8] {
        let nodes = [
            TopologyReport.Node(
                id: .some, state: .live, weightThousandths: 1_000,
                endpoints: ["tcp://127.0.0.1:7510"])
        ]
        let report = TopologyReport(
            version: version, kind: setting.contains(.isReplicated) ? .replicated : .sharded,
            controlEndpoint: "tcp://127.0.0.1:1", liveEndpoint: "tcp://127.0.0.1:2", nodes: nodes)
        return written { report.encode(requestID: 0, into: &$0) }
    }

    /// Principals 1 to 5; 0 and 6 are nobody.
    static let table: AccessTable = {
        let key = String(repeating: "0", count: 63)
        do throws(AccessListProblem) {
            let list = try AccessList(
                parsing: """
                    reader \(key)1 read sessions,default/img: ops=5/s waiting=2
                    writer \(key)2 read,write default,pages bytes=4KiB/s
                    purger \(key)3 invalidate,metrics
                    n1     \(key)4 node
                    boss   \(key)5 admin
                    """)
            return AccessTable([nil] + list.entries.map(Optional.some))
        } catch {
            fatalError("the sample is a list: \(error)")
        }
    }()

    mutating func setStanding(_ state: NodeState, lease: Duration) {
        var standing = NodeStanding.unheard
        standing.state = state
        standing.leaseExpiresAt = now.advanced(by: lease)
        standing.log = log.id
        standing.head = log.head.position
        core.setStanding(standing)
    }

    // MARK: Looking

    /// Whatever was answered is of the protocol, and what was ordered is taken note of.
    mutating func judge() {
        for note in core.takeSampleNotes().notes {
            check(note.key.count <= CacheKey.bytesMax, "a sampled name is none of a key")
            check(note.status != nil, "a sampled operation was answered")
        }
        for entry in replies.entries {
            let bytes = replies.bytes(of: entry)
            check(bytes.count <= WireLimits.frameBytesMax, "an answer fits into a frame")
            do throws(WireRefusal) {
                let message = try MessageView(decoding: bytes)
                if message.type == .results { try noteToken(in: message) }
                _ = try DecodedBody.decode(message)
            } catch {
                fatalError("an answer is not of the protocol: \(error.sentence)")
            }
        }
        replies.removeAll()
        for note in core.takeAuditNotes(now: now) { FuzzAudit.look(at: note.event) }
        noteEffects()
    }

    private mutating func noteToken(in message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let proof = try Proof(decoding: &reader)
        check(proof.position == core.applied.position, "an answer says where the shard is")
        for _ in 0..<message.count {
            let result = try OperationResult(decoding: &reader)
            let fields = try ResultFields(decoding: result.fields)
            token = fields.token ?? token
        }
    }

    private mutating func noteEffects() {
        for effect in effects {
            switch effect {
            case .publish(let request): publishes.append(request)
            case .askHead(let number): headQuestions.append(number)
            case .load(let load): loads.append(load)
            case .write(let order): writes.append(order)
            case .askQueue(let number, _): queueQuestions.append(number)
            case .applied(let mark, _): check(mark == core.applied, "a shard says where it is")
            case .hasten, .leavePeer, .drain, .drained, .arriving, .pull, .gives: break
            }
        }
        effects = []
    }

    /// Lets everything come to its end: whoever waits is answered. Who has waited for a position
    /// may wait once more, until what the publisher is told is appended.
    mutating func end() {
        settleDisk()
        for _ in 0..<16 {
            now = now.advanced(by: .seconds(3_600))
            core.tick(now: now)
            core.finishWaiting(now: now, into: &replies, effects: &effects)
            judge()
        }
        check(!core.hasWaiting, "nobody waits for ever")
    }
}
