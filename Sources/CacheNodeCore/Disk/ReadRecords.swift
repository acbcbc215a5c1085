import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// What was read from disk for messages that have not been answered yet.
///
///     read ──▶ kept here ──▶ an operation needs it: taken into memory, answered from there
///                  │
///                  └▶ its key was stored or removed since: dropped
///
/// Were it taken into memory when it comes, the reads of one message would evict each other, and
/// what was there before: memory may be smaller than what a message asks for.
struct ReadRecords {
    private struct Kept {
        var record: FoundRecord
        var readAt: Instant
    }

    private var kept: [Fingerprint: Kept] = [:]
    private var byteCount = 0
    /// What was taken into memory since, and no answer has said so.
    private var unsaid: Set<KeyHash> = []

    // MARK: The message being answered

    /// Whether some of what it needs may be here or on disk, and not in memory.
    private(set) var areNeeded = false
    /// Whether one of its operations may be left to be asked for again: another was answered.
    private(set) var mayDefer = false
    private var isLate = false

    /// A message is looked at.
    ///
    /// - Parameters:
    ///   - hasWaited: for the disk.
    ///   - isLate: its time was over before all was read: what has not come is a miss.
    mutating func begin(hasWaited: Bool, isLate: Bool) {
        (areNeeded, mayDefer, self.isLate) = (hasWaited, false, isLate)
    }

    /// One of its operations can be answered.
    mutating func noteAnswered() { mayDefer = !isLate }

    // MARK: Records

    /// Keeps what was read, for the message being looked at or for one that waits.
    ///
    /// - Returns: whether there is room.
    mutating func keep(_ record: FoundRecord, now: Instant) -> Bool {
        guard kept.isEmpty || byteCount + record.byteCount <= ShardLimits.readRecordsBytesMax
        else { return false }
        drop(record.fingerprint)
        kept[record.fingerprint] = Kept(record: record, readAt: now)
        byteCount += record.byteCount
        return true
    }

    mutating func noteNeeded() { areNeeded = true }

    /// Hands out what is kept of a fingerprint.
    mutating func take(_ fingerprint: Fingerprint) -> FoundRecord? {
        guard !kept.isEmpty, let found = kept.removeValue(forKey: fingerprint) else { return nil }
        byteCount -= found.record.byteCount
        return found.record
    }

    /// Its key's value is another now, or none.
    mutating func drop(_ fingerprint: Fingerprint) { _ = take(fingerprint) }

    mutating func dropAll() {
        kept.removeAll()
        byteCount = 0
    }

    /// Hands out what nobody has needed for longer than a message waits for the disk.
    mutating func takeUnneeded(now: Instant) -> [FoundRecord] {
        let unneeded = kept.filter {
            now.elapsed(since: $0.value.readAt) > ShardLimits.diskWaitMax * 2
        }
        return unneeded.keys.compactMap { take($0) }
    }

    // MARK: Where a value was found

    /// An entry has been taken into memory.
    mutating func notePromoted(_ hash: KeyHash) {
        // Whoever asked for it may have given up.
        if unsaid.count >= DiskLimits.readsMax { unsaid.removeAll(keepingCapacity: true) }
        unsaid.insert(hash)
    }

    /// The entry in memory is another now.
    mutating func noteReplaced(_ hash: KeyHash) {
        if !unsaid.isEmpty { unsaid.remove(hash) }
    }

    /// Where the value of an answer was found: the first one after it was read says *disk*.
    @inline(__always)
    mutating func whereFound(_ hash: KeyHash) -> Tier {
        unsaid.isEmpty || unsaid.remove(hash) == nil ? .memory : .disk
    }
}
