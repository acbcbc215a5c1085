import CacheDisk
import CacheModel
import CacheSimulation
import CacheWire

@testable import CacheNodeCore

/// A shard with a disk tier, whose commands are carried out when the test says so.
final class DiskHarness {
    static let geometry: DiskGeometry = {
        guard let geometry = DiskGeometry.fitting(DiskLimits.fileBytesMin) else {
            preconditionFailure("the least size is a size")
        }
        return geometry
    }()
    static let machine = TierMachineFacts(
        boot: BootID(high: 1, low: 2), calendar: 1_000_000, file: 5, birth: 6)

    /// Goes round after a few hundred entries of half a kibibyte.
    static let smallGeometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 64 << 10, tailBytes: 4_096 + 8 * (8 << 10),
            segmentBytes: 16 << 10, segmentCount: 8)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()

    let geometry: DiskGeometry
    var shard: ShardHarness
    var file: SimulatedTierFile
    var queue: [DiskCommand] = []
    var notices: [DiskNotice] = []
    /// The publisher's log.
    var records: [SealedRecord] = []
    let incarnation: UInt64
    /// The space that is left free, and how many segments of a new file have room.
    private let space: DiskSpaceRule?
    private let segmentCount: Int?
    /// A place that the test notes.
    var reached = LogMark.none

    /// - Parameter log: the publisher's, of which it has heard before its tier is open.
    init(
        isReplicated: Bool = false, memoryBytes: Int = 64 << 20, heardOf log: LogID? = LogID(1),
        geometry: DiskGeometry = geometry, writeBytesPerSecond: Int? = nil
    ) {
        self.geometry = geometry
        (space, segmentCount) = (nil, nil)
        shard = ShardHarness(
            isReplicated: isReplicated, memoryBytes: memoryBytes,
            disk: ShardHarness.DiskLife(
                hasHeardOfLog: log != nil, writeBytesPerSecond: writeBytesPerSecond))
        incarnation = 77
        file = SimulatedTierFile(geometry)
        attach(writtenBy: nil)
        settle()
        beginWhereItIs()
    }

    /// On a file system of which space is left free, with room for so many segments; `nil` for all.
    init(
        leaving space: DiskSpaceRule, withRoomFor segmentCount: Int?, geometry: DiskGeometry
    ) {
        self.geometry = geometry
        (self.space, self.segmentCount) = (space, segmentCount)
        shard = ShardHarness(disk: ShardHarness.DiskLife())
        incarnation = 77
        file = SimulatedTierFile(geometry)
        attach(writtenBy: nil)
        settle()
        beginWhereItIs()
    }

    /// The life after this one was killed. It has read what lies on disk, and has not heard of the
    /// publisher yet.
    init(
        afterKillOf earlier: DiskHarness, incarnation: UInt64 = 78, isReplicated: Bool = false,
        isPlaceSettled: Bool = true, without missing: ShardHarness.Missing? = nil
    ) {
        geometry = earlier.geometry
        (space, segmentCount) = (earlier.space, nil)
        shard = ShardHarness(
            isReplicated: isReplicated,
            disk: ShardHarness.DiskLife(
                incarnation: incarnation, hasHeardOfLog: false,
                missing: missing))
        shard.now = earlier.shard.now
        shard.log = earlier.shard.log
        self.incarnation = incarnation
        records = earlier.records
        file = SimulatedTierFile(geometry, image: earlier.file.image)
        attach(writtenBy: Incarnation(earlier.incarnation))
        settle()
        if isPlaceSettled { beginWhereItIs() }
    }

    /// The node has no other shard, and begins where this one is.
    func beginWhereItIs() {
        let applied = shard.core.applied
        shard.core.resume(at: applied == .none ? nil : applied, now: shard.now)
    }

    /// The publisher says which life was the last, and what there is that was not applied yet.
    func join(lastLife: UInt64 = 77) {
        shard.core.setLastLife(Incarnation(lastLife))
        let applied = shard.core.applied.position
        apply(records.filter { $0.position > applied })
    }

    func apply(_ records: [SealedRecord]) {
        let now = shard.now
        var effects: [ShardEffect] = []
        shard.core.apply(records, isAwaited: true, now: now, effects: &effects)
        take()
    }

    @discardableResult
    func invalidate(
        _ scope: Scope, strength: InvalidationRecord.Strength = .hard
    ) -> LogPosition {
        let record = shard.log.append([scope], strength: strength)
        records.append(record)
        apply([record])
        return record.position
    }

    /// Has a checkpoint written.
    func checkpoint() {
        shard.advance(by: ShardLimits.checkpointInterval)
        settle()
    }

    private var superblock: Superblock {
        guard let node = NodeID("n1") else { preconditionFailure("n1 is a name") }
        let owner = TierOwner(
            node: node, shard: 0, of: 1, machine: Self.machine, geometry: geometry)
        return Superblock(for: owner, tier: 0xABCD, incarnation: incarnation)
    }

    func attach(writtenBy: Incarnation?, replacesOther: Bool = false) {
        var opened = OpenedDisk(
            superblock, tail: file.tail,
            clock: TierClock(startingAt: Instant(nanoseconds: 0)), writtenBy: writtenBy)
        opened.replacesOther = replacesOther
        (opened.space, opened.segmentCount) = (space, segmentCount)
        shard.core.attachDisk(opened, now: shard.now)
        take()
    }

    /// Hears what the core commands and tells.
    func take() {
        var commands: [DiskCommand] = []
        shard.core.takeDiskCommands(into: &commands)
        queue += commands
        notices += shard.core.takeDiskNotices()
    }

    /// Carries out the oldest command.
    func step() -> Bool {
        take()
        guard !queue.isEmpty else { return false }
        let command = queue.removeFirst()
        shard.core.diskCompleted([file.carryOut(command)], now: shard.now)
        take()
        return true
    }

    /// Everything that is to be done, until there is nothing more.
    func settle() {
        repeat {
            while step() {}
            shard.core.tick(now: shard.now)
            take()
        } while !queue.isEmpty
    }

    /// Sends a frame; what is answered at once.
    func send(_ frame: [UInt8]) -> [ShardHarness.Reply] { shard.send(frame) }

    func finishWaiting() -> [ShardHarness.Reply] { shard.finishWaiting() }

    func set(
        _ key: String, _ value: String, _ description: SetOperation.Description = .init(),
        _ shape: RequestShape = RequestShape()
    ) -> ResultStatus {
        shard.set(key, value, description, shape).status
    }

    /// A get that must not need the disk.
    func getAtOnce(_ key: String) -> ShardHarness.Outcome { shard.get(key) }

    func getFrame(_ keys: [String]) -> [UInt8] { shard.getFrame(keys) }

    /// Sends a frame and lets the disk do whatever the answer needs.
    func ask(_ frame: [UInt8]) -> ShardHarness.Outcome? {
        let replies = shard.send(frame)
        if let first = Self.first(replies) { return first }
        settle()
        return Self.first(shard.finishWaiting())
    }

    static func first(_ replies: [ShardHarness.Reply]) -> ShardHarness.Outcome? {
        guard case .results(_, let outcomes) = replies.first else { return nil }
        return outcomes.first
    }

    func get(_ key: String) -> ShardHarness.Outcome? {
        ask(shard.getFrame([key], .details))
    }

    /// Has memory let go of everything, and stores so much more that the tail lets go of it, too.
    func crowdOut() {
        for index in 0..<300 {
            _ = shard.set("filler \(index)", String(repeating: "x", count: 4_000))
            take()
        }
        settle()
        evictAll()
        // What the tail had no room for is written when memory lets go of it.
        settle()
    }

    /// Has memory evict everything.
    func evictAll() {
        shard.core.setMemoryBudget(1)
        while shard.core.memoryInUse > 0, shard.core.isOverBudget {
            shard.core.shrink(now: shard.now)
        }
        shard.core.setMemoryBudget(.max)
        take()
    }

    /// Stores what nobody asks for until the ring has gone round once.
    func goRound() {
        let value = String(repeating: "x", count: 1_000)
        for index in 0..<geometry.segmentBytes * geometry.segmentCount / 1_000 {
            _ = set("filler \(index)", value)
            settle()
        }
    }

    func figure(_ name: String) -> UInt64 {
        let figures = shard.core.figures(now: shard.now)
        guard let figure = figures.first(where: { $0.name == name }) else {
            preconditionFailure("there is a figure of that name")
        }
        return figure.value
    }
}
