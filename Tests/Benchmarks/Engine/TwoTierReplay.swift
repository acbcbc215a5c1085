import CacheDisk
import CacheMemory
import CacheModel
import CacheSimulation

/// A memory tier and a disk tier as a shard joins them, for requests whose misses are stored.
final class TwoTierReplay: EvictedEntryKeeper {
    struct Variant {
        var name: String
        /// How often a key must have been asked for to be admitted.
        var countMin = 2
        /// Whether used records are appended again when their segment is reclaimed.
        var reinserts: Bool
        /// How long the sketch remembers.
        var period = AdmissionSketch.periodUsual
    }

    /// What came of a replay; ratios against the baseline.
    struct Figures {
        var missRatio = 0.0
        var misses = 0.0
        var writes = 0.0
        /// Bytes written to the file for each byte of keys and values admitted.
        var amplification = 0.0
        /// Of the sketch, for each entry of both tiers.
        var sketchBytes = 0.0
        var writtenBytes = 0.0

        mutating func add(_ other: Self) {
            missRatio += other.missRatio
            misses += other.misses
            writes += other.writes
            amplification += other.amplification
            sketchBytes += other.sketchBytes
        }

        func divided(by count: Double) -> Self {
            Figures(
                missRatio: missRatio / count, misses: misses / count, writes: writes / count,
                amplification: amplification / count, sketchBytes: sketchBytes / count)
        }
    }

    private var memory: MemoryTier
    private var disk: DiskTier
    private var admission = DiskAdmission()
    private let file: SimulatedTierFile
    private let value: [UInt8]
    private let now = Instant(nanoseconds: 0)
    private let space = NamespaceNumber(0)
    private var (requestCount, missCount) = (0, 0)

    init(_ variant: Variant, memoryCount: Int, diskCount: Int, valueBytes: Int) {
        var limits = MemoryTierLimits(residentBytesMax: memoryCount)
        limits.weighing = .objects
        memory = MemoryTier(limits: limits, policy: .adaptive, hashSeed: 1)
        let geometry = Self.geometry(entryCount: diskCount, valueBytes: valueBytes)
        guard let node = NodeID("n1") else { preconditionFailure("n1 is a name") }
        let owner = TierOwner(
            node: node, shard: 0, of: 1,
            machine: TierMachineFacts(
                boot: BootID(high: 1, low: 2), calendar: 0, file: 1, birth: 1),
            geometry: geometry)
        file = SimulatedTierFile(geometry)
        disk = DiskTier(Superblock(for: owner, tier: 5, incarnation: 1), tail: file.tail)
        value = Array(repeating: 7, count: valueBytes)
        (admission.countMin, admission.period) = (variant.countMin, variant.period)
        if !variant.reinserts { disk.movedShareMax = 0 }
        memory.entries.keeper = self
        disk.beginAnew(Checkpoint(log: LogID(1), mark: .none, floors: []))
        carryOut()
    }

    /// A file with room for so many entries, in about thirty-two segments if they are not tiny.
    private static func geometry(entryCount: Int, valueBytes: Int) -> DiskGeometry {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        let record = (DiskEntry(key: empty, value: empty).recordBytes + 8 + valueBytes + 7) & ~7
        let bytes = entryCount * (record + 12)
        var segment = 4_096
        while segment < 8 * record || segment * 64 <= bytes { segment *= 2 }
        let slot = max(16 << 10, (record + 256 + 511) & ~511)
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * slot, segmentBytes: segment,
            segmentCount: max(4, bytes / segment))
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }

    func request(_ number: UInt32) {
        requestCount += 1
        withUnsafeBytes(of: UInt64(number)) { key in
            let hash = memory.hash(namespace: space, key: key)
            admission.count(hash.rawValue)
            if memory.lookup(hash, namespace: space, key: key, now: now) != nil { return }
            let fingerprint = fingerprint(key)
            if isPromoted(fingerprint, hash, key) { return }
            missCount += 1
            store(key, hash, fingerprint)
        }
        if disk.hasDueWork || !disk.commands.isEmpty { carryOut() }
    }

    private func fingerprint(_ key: UnsafeRawBufferPointer) -> Fingerprint {
        disk.hasher.fingerprint(of: key, in: 0)
    }

    private func isPromoted(
        _ fingerprint: Fingerprint, _ hash: KeyHash, _ key: UnsafeRawBufferPointer
    ) -> Bool {
        switch disk.find(fingerprint) {
        case .absent, .shed: return false
        case .resident(let record): promote(record)
        case .reading: carryOut()
        }
        return memory.isResident(hash, namespace: space, key: key)
    }

    private func promote(_ record: FoundRecord) {
        _ = record.withEntry { entry in
            memory.promote(
                StoreCandidate(
                    hash: memory.hash(namespace: space, key: entry.key), namespace: space,
                    key: entry.key, value: entry.value, fill: .none),
                isSoftened: false, now: now)
        }
    }

    private func store(
        _ key: UnsafeRawBufferPointer, _ hash: KeyHash, _ fingerprint: Fingerprint
    ) {
        value.withUnsafeBytes { value in
            _ = memory.store(
                StoreCandidate(hash: hash, namespace: space, key: key, value: value, fill: .none),
                now: now)
            if !admission.isPrepared { prepare() }
            if disk.hasFreeSegments {
                _ = disk.append(DiskEntry(key: key, value: value), fingerprint)
            } else {
                disk.remove(fingerprint)
            }
        }
    }

    private func prepare() {
        guard disk.isNearlyFull else { return }
        admission.prepare(entryCount: disk.entryCountExpected + memory.entryCount)
    }

    func keep(_ entry: EntryView, _ hash: KeyHash, now: Instant) {
        let fingerprint = fingerprint(entry.key)
        guard !disk.holds(fingerprint) else { return }
        let entry = DiskEntry(key: entry.key, value: entry.value)
        let verdict = admission.judge(
            hash.rawValue, bytes: entry.recordBytes, isRoomFree: disk.hasFreeSegments,
            at: disk.now)
        if verdict == .admitted { _ = disk.append(entry, fingerprint) }
    }

    /// Has the disk do all that is commanded, and what that leads to.
    private func carryOut() {
        repeat {
            while !disk.commands.isEmpty {
                let begun = disk.commands
                disk.commands.removeAll(keepingCapacity: true)
                for command in begun {
                    disk.completed(file.carryOut(command))
                }
            }
            let told = disk.news
            disk.news.removeAll(keepingCapacity: true)
            for one in told { if case .found(_, let record) = one { promote(record) } }
            disk.tick()
        } while !disk.commands.isEmpty || !disk.news.isEmpty || disk.hasDueWork
    }

    /// What came of it. Nothing is to be requested afterwards.
    func figures(against baseline: Figures?) -> Figures {
        // Else memory would hold this, and this memory.
        memory.entries.keeper = nil
        let done = disk.statistics
        let written = Double(done.writtenBytes)
        var figures = Figures()
        figures.writtenBytes = written
        figures.missRatio = Double(missCount) / Double(requestCount)
        figures.misses = figures.missRatio / (baseline?.missRatio ?? figures.missRatio)
        figures.writes = written / (baseline?.writtenBytes ?? written)
        figures.amplification = written / Double(done.payloadBytes)
        figures.sketchBytes =
            Double(admission.memoryBytes) / Double(disk.entryCount + memory.entryCount)
        return figures
    }
}
