import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// Records read from disk for messages without an answer yet.
///
///     read ──▶ kept here ──▶ an operation needs it: moved to memory, answered from there
///                  │
///                  └▶ its key was stored or removed meanwhile: dropped
///
/// If records were moved to memory on arrival, the reads of one message would evict each other and
/// older entries: memory may be smaller than the entries that one message requests.
struct ReadRecords {
    private struct Kept {
        var record: FoundRecord
        var readAt: Instant
    }

    private var kept: [Fingerprint: Kept] = [:]
    private var byteCount = 0
    /// Moved to memory since, and not yet reported by an answer.
    private var unsaid: Set<KeyHash> = []

    // MARK: The message being answered

    /// Whether a record that it needs may be here or on disk, and not in memory.
    private(set) var areNeeded = false
    /// Whether one of its operations may be deferred, to be requested again: another was answered.
    private(set) var mayDefer = false
    private var isLate = false

    /// Begins a message.
    ///
    /// - Parameters:
    ///   - hasWaited: for the disk.
    ///   - isLate: its deadline passed before all was read: a missing record is a miss.
    mutating func begin(hasWaited: Bool, isLate: Bool) {
        (areNeeded, mayDefer, self.isLate) = (hasWaited, false, isLate)
    }

    /// One of its operations can be answered.
    mutating func noteAnswered() { mayDefer = !isLate }

    // MARK: Records

    /// Keeps a record, for the current message or for one that waits.
    ///
    /// - Returns: whether there is space.
    mutating func keep(_ record: FoundRecord, now: Instant) -> Bool {
        guard kept.isEmpty || byteCount + record.byteCount <= ShardLimits.readRecordsBytesMax
        else { return false }
        drop(record.fingerprint)
        kept[record.fingerprint] = Kept(record: record, readAt: now)
        byteCount += record.byteCount
        return true
    }

    mutating func noteNeeded() { areNeeded = true }

    /// Removes and returns the record of a fingerprint.
    mutating func take(_ fingerprint: Fingerprint) -> FoundRecord? {
        guard !kept.isEmpty, let found = kept.removeValue(forKey: fingerprint) else { return nil }
        byteCount -= found.record.byteCount
        return found.record
    }

    /// The key's value was replaced or removed.
    mutating func drop(_ fingerprint: Fingerprint) { _ = take(fingerprint) }

    mutating func dropAll() {
        kept.removeAll()
        byteCount = 0
    }

    /// Removes and returns records that were not needed for longer than a message waits for the
    /// disk.
    mutating func takeUnneeded(now: Instant) -> [FoundRecord] {
        let unneeded = kept.filter {
            now.elapsed(since: $0.value.readAt) > ShardLimits.diskWaitMax * 2
        }
        return unneeded.keys.compactMap { take($0) }
    }

    // MARK: Where a value was found

    /// An entry was moved to memory.
    mutating func notePromoted(_ hash: KeyHash) {
        // The asker may have given up.
        if unsaid.count >= DiskLimits.readsMax { unsaid.removeAll(keepingCapacity: true) }
        unsaid.insert(hash)
    }

    /// The entry in memory was replaced.
    mutating func noteReplaced(_ hash: KeyHash) {
        if !unsaid.isEmpty { unsaid.remove(hash) }
    }

    /// The tier of an answer's value: *disk* for the first answer after it was read.
    @inline(__always)
    mutating func whereFound(_ hash: KeyHash) -> Tier {
        unsaid.isEmpty || unsaid.remove(hash) == nil ? .memory : .disk
    }
}
