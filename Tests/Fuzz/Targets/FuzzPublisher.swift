import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

@testable import FrameSamples
@testable import PublisherCore
@testable import PublisherSamples

/// A publisher between nodes, clients, a log and files that a script plays.
struct FuzzPublisher: ~Copyable {
    struct Setting: OptionSet {
        let rawValue: UInt8

        /// The log is on disk: appends end later, orders and lives are kept.
        static let isDurable = Setting(rawValue: 1)
        static let isGuarded = Setting(rawValue: 2)
        /// It goes on with a log, rather than learning from nodes where it stood.
        static let hasHistory = Setting(rawValue: 4)
        static let hasReplicas = Setting(rawValue: 8)
        static let keepsFewRecords = Setting(rawValue: 16)
        static let isReplicated = Setting(rawValue: 32)
        static let readsFloors = Setting(rawValue: 64)
        static let isAudited = Setting(rawValue: 128)
    }

    static let nodeCount = 3
    static let freshID = LogID(0xF0)
    static let cluster = ClusterID(0xC0)

    var core: PublishingCore<SlowLog>
    var actions: [PublisherAction] = []
    var now = Instant(nanoseconds: 1_000_000_000_000)
    /// What is being kept.
    var orders: [[UInt8]] = []
    var lives: [[UInt8]] = []
    /// Whether the identity is being kept.
    var isClusterDue = false
    /// The head of what was told to everybody.
    private var told = LogMark.none
    let setting: Setting

    init(_ setting: Setting) {
        self.setting = setting
        let isDurable = setting.contains(.isDurable)
        var log = MemoryLog(
            id: Self.freshID, recordsMax: setting.contains(.keepsFewRecords) ? 2 : 1_000,
            decode: SealedRecord.kept)
        if setting.contains(.hasHistory) {
            let start = LogPosition(epoch: Epoch(1), sequence: .none)
            log.continueHistory(
                of: Self.freshID,
                from: LogMark(position: start, digest: LogDigest(startOf: Self.freshID)))
        }
        var slow = SlowLog(log, outlivesItsProcess: isDurable)
        slow.isSlow = isDurable
        slow.areFloorsComing = setting.contains(.readsFloors)
        core = PublishingCore(
            plan: Self.plan(setting), log: slow, freshID: Self.freshID, topologyVersion: 100,
            now: now)
        core.setCluster(kept: nil, fresh: Self.cluster)
        core.isAudited = setting.contains(.isAudited)
        if setting.contains(.isGuarded) { core.setAccess(FuzzShard.table) }
    }

    static func plan(_ setting: Setting) -> PublisherPlan {
        var plan = PublisherPlan(
            nodes: (1...nodeCount).compactMap { number in
                NodeID("n\(number)").map { PublisherPlan.Node(id: $0, shards: 1) }
            })
        plan.kind = setting.contains(.isReplicated) ? .replicated : .sharded
        plan.controlEndpoint = "tcp://127.0.0.1:7400"
        plan.liveEndpoint = "tcp://127.0.0.1:7401"
        plan.configuration = ConfigReport(revision: 4, text: "nodes: []\n")
        if setting.contains(.hasReplicas) {
            plan.replicaLags = [.default: .milliseconds(300)]
            plan.replicaLagDefault = .milliseconds(100)
        }
        return plan
    }

    static func node(_ number: Int) -> NodeID {
        guard let node = NodeID("n\(1 + number % (nodeCount + 1))") else { fatalError("a name") }
        return node
    }

    // MARK: Looking

    /// Whatever was said is of the protocol, and records are told in their order.
    mutating func judge() {
        let said = actions
        actions = []
        for action in said {
            switch action {
            case .reply(_, let frame, _): _ = read(frame)
            case .broadcast(let frame): hear(read(frame))
            case .keep(let bytes): orders.append(bytes)
            case .confirm, .stepDown: break
            case .keepLives(let bytes): lives.append(bytes)
            case .keepCluster: isClusterDue = true
            case .keepSlots: break  // Slots do not begin here.
            case .audit(let event): note(event)
            }
        }
    }

    private func read(_ frame: [UInt8]) -> [SealedRecord] {
        check(frame.count <= WireLimits.frameBytesMax, "what is said fits into a frame")
        return frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let message = try MessageView(decoding: bytes)
                if message.type == .records { return try RecordRun(decoding: message).records }
                _ = try DecodedBody.decode(message)
                return []
            } catch {
                fatalError("what the publisher says is not of the protocol: \(error.sentence)")
            }
        }
    }

    private func note(_ event: AuditEvent) {
        check(core.isAudited, "nothing is noted unasked")
        FuzzAudit.look(at: event)
    }

    private mutating func hear(_ records: [SealedRecord]) {
        for record in records {
            let isNext =
                record.position.epoch != told.position.epoch
                || record.position.directlyFollows(told.position)
                    && record.record.previousDigest == told.digest
            check(told == .none || isNext, "records are told one after the other")
            check(record.position <= core.log.head.position, "what is told is in the log")
            told = record.mark
        }
    }

    /// What is under way ends, and time goes on: nobody waits for ever.
    mutating func end() {
        for _ in 0..<64 {
            finishAppend(refusedBy: nil)
            if !orders.isEmpty { finishKeeping(refusedBy: nil) }
            if !lives.isEmpty { finishLives(refusedBy: nil, isGone: false) }
            if isClusterDue { finishCluster(isKept: true) }
            now = now.advanced(by: .seconds(60))
            core.tick(now: now, into: &actions)
            judge()
        }
        _ = (core.pacingsToKeep, core.livesToKeep, core.statistics.figures)
        core.stop(into: &actions)
        judge()
    }

    mutating func finishAppend(refusedBy refusal: LogRefusal?) {
        guard let ticket = core.log.ticket else { return }
        core.appended(LogOutcome(ticket: ticket, refusal: refusal), now: now, into: &actions)
    }

    mutating func finishKeeping(refusedBy trouble: String?) {
        orders.removeAll()
        core.kept(trouble, now: now, into: &actions)
    }

    mutating func finishCluster(isKept: Bool) {
        isClusterDue = false
        core.clusterKept(isKept, now: now)
    }

    mutating func finishLives(refusedBy trouble: String?, isGone: Bool) {
        lives.removeAll()
        core.livesKept(trouble, isGone: isGone, now: now, into: &actions)
    }
}
