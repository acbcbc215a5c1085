import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// A shard's disk tier with all that the shard's core keeps beside it.
///
///     store, touch, renew ──▶ append ─┐                       ┌─▶ commands ─▶ the shell, its file
///     invalidation of a key ▶ remove ─┼─▶ DiskTier ───────────┤
///     request ── not in memory? find ─┘      ▲                └─▶ news: found ─▶ promoted
///     any other invalidation ──▶ LastingFloors                     (EntryStore+Reading)
///     evicted by memory ──▶ DiskAdmission ──▶ append               (ShardDisk+Keeping)
///
/// A class, because the core has one or none and changes it in place: parts of a noncopyable value
/// in an optional cannot be changed side by side.
final class ShardDisk {
    var tier: DiskTier
    /// What was invalidated but by key since the tier was made.
    var floors: LastingFloors
    let clock: TierClock
    private let guards: Guards
    /// Requests that wait for a read, by their ids in the wait table.
    var readers: [DiskTicket: [UInt64]] = [:]
    /// Which of what memory evicts is appended.
    var admission: DiskAdmission
    var namespaces = DiskNamespaces()
    /// Namespaces whose share of the disk is bounded.
    var shares: [NamespaceNumber: Percent] = [:]
    /// Bytes of the ring of which they were shares last.
    var sharedRingBytes = 0
    /// What the shard's own stamps begin with now; entries with another are not kept.
    var epochOrdinal: UInt16 = 0
    var trust: DiskTrust
    var checkpoints = CheckpointSchedule()
    var statistics = ShardDiskStatistics()
    /// Whether the tier has all of its bytes, as far as was told.
    var isWholeTold = true
    /// What was read for messages that have not been answered yet.
    var records = ReadRecords()

    /// - Parameter bytesPerSecond: what may be written of what memory evicts; `nil` for all.
    init(
        _ opened: OpenedDisk, bytesPerSecond: Int? = nil, guards: Guards = .all, now: Instant
    ) {
        self.guards = guards
        tier = DiskTier(opened.superblock, tail: opened.tail)
        floors = LastingFloors(
            seed: opened.superblock.tier, bytesMax: Self.floorBytesMax(opened.superblock.geometry))
        clock = opened.clock
        tier.now = clock.time(at: now)
        tier.spaceRule = opened.space
        let time = tier.now
        admission = DiskAdmission(
            budget: bytesPerSecond.map { WriteBudget(bytesPerSecond: $0, at: time) })
        trust = DiskTrust(writtenBy: opened.writtenBy)
        statistics.begunAnew = opened.replacesOther ? 1 : 0
    }

    static func floorBytesMax(_ geometry: DiskGeometry) -> Int {
        geometry.checkpointBytes - Checkpoint.headBytes
    }

    /// It takes what is stored.
    var isOpen: Bool { tier.state == .open }

    /// What lies in it may be looked at.
    var isTrusted: Bool { isOpen && trust.isComplete(guards) }

    /// - Parameter names: of all namespaces, by number.
    func fingerprint(
        of key: UnsafeRawBufferPointer, in number: NamespaceNumber, _ names: [[UInt8]]
    ) -> Fingerprint {
        namespaces.learn(names)
        return fingerprint(of: key, in: number)
    }

    /// - Precondition: its name is known.
    func fingerprint(
        of key: UnsafeRawBufferPointer, in number: NamespaceNumber
    ) -> Fingerprint {
        tier.hasher.fingerprint(of: key, in: namespaces.room(of: number, in: &tier))
    }

    /// - Precondition: its name is known.
    func account(of number: NamespaceNumber) -> DiskAccount {
        namespaces.account(of: number, in: &tier)
    }

    /// Whether something is held of a key in a namespace that has no number yet.
    func mayHold(_ key: UnsafeRawBufferPointer, in name: UnsafeRawBufferPointer) -> Bool {
        tier.holds(tier.hasher.fingerprint(of: key, in: tier.hasher.room(of: name)))
    }

    func find(_ fingerprint: Fingerprint) -> FindAnswer {
        if let record = records.take(fingerprint) { return .resident(record) }
        return tier.find(fingerprint)
    }

    /// Appends an entry of a namespace whose name is known.
    ///
    /// - Returns: whether it is there now.
    @discardableResult
    func append(
        _ entry: DiskEntry, in number: NamespaceNumber, _ fingerprint: Fingerprint
    ) -> Bool {
        records.drop(fingerprint)
        guard isOpen else { return false }
        let account = account(of: number)
        return namespaces.named(entry, in: number) { entry in
            tier.append(entry, fingerprint, for: account) == nil
        }
    }

    /// Appends an entry that nothing but the disk has; its record stays where that cannot be done.
    ///
    /// - Returns: whether it was appended.
    func replace(
        _ entry: DiskEntry, in number: NamespaceNumber, _ fingerprint: Fingerprint
    ) -> Bool {
        guard isOpen else { return false }
        let account = account(of: number)
        let cause = namespaces.named(entry, in: number) { entry in
            tier.replace(entry, fingerprint, for: account)
        }
        if cause == nil { records.drop(fingerprint) }
        return cause == nil
    }

    func remove(_ fingerprint: Fingerprint) {
        records.drop(fingerprint)
        guard isOpen else { return }
        tier.remove(fingerprint)
    }

    /// Everything that it holds is nothing any more.
    func reset() {
        floors.removeAll()
        records.dropAll()
        trust.reset()
        tier.movedShareMax = DiskLimits.movedShareMax
        // What the next checkpoint says must not be said of what was before.
        checkpoints.hasten()
        guard isOpen else { return }
        tier.reset()
    }

    /// Takes over the floors of a checkpoint.
    ///
    /// - Returns: whether they are some.
    func adopt(floors bytes: [UInt8]) -> Bool {
        let found = LastingFloors(
            decoding: bytes, seed: tier.superblock.tier,
            bytesMax: Self.floorBytesMax(tier.geometry))
        guard let found else { return false }
        floors = found
        return true
    }

    /// An entry has been taken into memory.
    func notePromoted(_ hash: KeyHash) {
        statistics.promoted += 1
        records.notePromoted(hash)
    }

    /// Notes that a request waits for a read.
    func wait(for ticket: DiskTicket, _ id: UInt64) {
        readers[ticket, default: []].append(id)
    }
}
