import CacheModel

/// A tag as a lookup key of the table.
struct TagName {
    var hash: UInt64
    var namespace: NamespaceNumber
    var bytes: UnsafeRawBufferPointer
}

/// The tags of a shard: for each a dense number, a floor, and the number of entries with it.
///
///     "news" ──ids──▶ 17 ──▶ names[17], records[17] { floors, references }
///     above a namespace's share: by hash ──▶ shared[0 … 4 095] { floors, references }
///
/// A record exists while an entry has the tag or its floor is kept – also for tags without an
/// entry, because a token may be on its way. When neither holds it is reclaimed, so the table does
/// not grow with all tags ever used.
///
/// Above its namespace's ``NamespaceShares`` a tag shares one of 4 096 floors, which hides more
/// than requested. Three rules keep that safe in both directions: a new record inherits its shared
/// floors; a raised tag also raises its shared floors while any entry is covered by them; and a tag
/// with the 64-bit hash of another tag is treated as one too many.
struct TagTable: ~Copyable {
    static let sharedCount = 4_096

    struct Record {
        var hash: UInt64
        var namespace: NamespaceNumber
        var references: UInt32
        var floors: ScopeFloors
        /// Those entries that its hard floor does not hide.
        var tally = ScopeTally()
    }

    /// Shares of the records.
    private var shares: NamespaceShares
    private var ids: [UInt64: UInt32] = [:]
    private(set) var records: [Record] = []
    private var free: [UInt32] = []
    private(set) var shared: [Record]
    /// The bytes of each record's tag; no address if it was reclaimed. Views read names here.
    private(set) var names: UnsafeMutablePointer<UnsafeRawBufferPointer>
    private var namesCapacity = 64

    init(tagsMax: Int) {
        shares = NamespaceShares(countMax: tagsMax)
        shared = Array(
            repeating: Record(
                hash: 0, namespace: NamespaceNumber(0), references: 0, floors: ScopeFloors()),
            count: Self.sharedCount)
        names = .allocate(capacity: namesCapacity)
    }

    deinit {
        for index in records.indices { names[index].deallocate() }
        names.deallocate()
    }

    /// Tags with a record of their own.
    var count: Int { shares.count }

    func floors(_ id: TagID) -> ScopeFloors {
        id.isShared ? shared[id.index].floors : records[id.index].floors
    }

    /// The bytes of the tag with a hash; `nil` if no record has it.
    func name(_ hash: UInt64, in namespace: NamespaceNumber) -> UnsafeRawBufferPointer? {
        guard let id = ids[hash].map(Int.init), records[id].namespace == namespace else {
            return nil
        }
        return names[id]
    }

    /// The floors that a token for an entry with this tag is checked against.
    func floors(of tag: TagName) -> ScopeFloors {
        guard let index = find(tag) else { return shared[sharedIndex(tag)].floors }
        return records[index].floors
    }

    /// Whether an entry's tag may be the one with this hash. Tags that share floors all may.
    func mayBe(_ id: TagID, hash: UInt64, in namespace: NamespaceNumber) -> Bool {
        guard !id.isShared else { return id.index == Self.sharedIndex(hash) }
        return records[id.index].hash == hash && records[id.index].namespace == namespace
    }

    /// Counts one more entry with the tag.
    mutating func retain(_ tag: TagName) -> TagID {
        if let index = intern(tag) {
            records[index].references += 1
            return TagID(own: index)
        }
        let index = sharedIndex(tag)
        shared[index].references += 1
        return TagID(shared: index)
    }

    /// Counts one more entry with a tag that another entry carries.
    mutating func retain(_ id: TagID) {
        if id.isShared {
            shared[id.index].references += 1
        } else {
            records[id.index].references += 1
        }
    }

    /// Counts an entry that has retained the tag, after it was stored.
    mutating func count(_ id: TagID, _ fill: FillStamp, bytes: Int) {
        if id.isShared {
            shared[id.index].tally.add(fill, bytes: bytes)
        } else {
            records[id.index].tally.add(fill, bytes: bytes)
        }
    }

    /// Counts the removal of an entry that was counted.
    mutating func release(_ id: TagID, _ fill: FillStamp, bytes: Int) {
        if id.isShared {
            shared[id.index].tally.subtract(fill, bytes: bytes)
        } else {
            records[id.index].tally.subtract(fill, bytes: bytes)
        }
        release(id)
    }

    /// The entries that raising the tag would hide. Entries with a shared floor are counted with
    /// all that share it.
    func count(of tag: TagName) -> ScopeCount {
        let common = shared[sharedIndex(tag)]
        guard let index = find(tag) else {
            return ScopeCount(
                entryCount: common.tally.entryCount, bytes: common.tally.bytes,
                isExact: common.tally.entryCount == 0)
        }
        let own = ScopeCount(records[index].tally, under: records[index].floors.hard)
        guard common.tally.entryCount > 0 else { return own }
        return own
            + ScopeCount(
                entryCount: common.tally.entryCount, bytes: common.tally.bytes, isExact: false)
    }

    /// Counts one entry less with the tag.
    mutating func release(_ id: TagID) {
        if id.isShared {
            shared[id.index].references -= 1
        } else {
            records[id.index].references -= 1
            reclaimIfIdle(id.index)
        }
    }

    /// - Returns: how many entries are covered by the raised floors.
    mutating func raise(
        _ tag: TagName, _ rise: FloorRise, highestFill: FillStamp = .none
    ) -> Int {
        let sharedIndex = sharedIndex(tag)
        var count = 0
        if let index = intern(tag) {
            records[index].floors.raise(rise)
            records[index].tally.floorRose(rise, highestFill: highestFill)
            count = Int(records[index].references)
            if shared[sharedIndex].references == 0 { return count }
        }
        shared[sharedIndex].floors.raise(rise)
        shared[sharedIndex].tally.floorRose(rise, highestFill: highestFill)
        return count + Int(shared[sharedIndex].references)
    }

    /// Drops floors that last rose at or before `ordinal`; returns the highest of them.
    ///
    /// - Complexity: O(tags).
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        for index in records.indices where Self.isDue(records[index], ordinal) {
            highest = max(highest, records[index].floors.highest)
            records[index].floors = ScopeFloors()
            reclaimIfIdle(index)
        }
        for index in shared.indices where Self.isDue(shared[index], ordinal) {
            highest = max(highest, shared[index].floors.highest)
            shared[index].floors = ScopeFloors()
        }
        return highest
    }

    /// Resets when each rose: all count as risen before ordinal one.
    mutating func restartOrdinals() {
        for index in records.indices { records[index].floors.raisedAt = .never }
        for index in shared.indices { shared[index].floors.raisedAt = .never }
    }

    private static func isDue(_ record: Record, _ ordinal: FloorOrdinal) -> Bool {
        record.floors.isRaised && record.floors.raisedAt <= ordinal
    }

    private func sharedIndex(_ tag: TagName) -> Int { Self.sharedIndex(tag.hash) }

    private static func sharedIndex(_ hash: UInt64) -> Int { Int(hash >> 52) }
}

// MARK: - Records of their own

extension TagTable {
    private func find(_ tag: TagName) -> Int? {
        guard let id = ids[tag.hash] else { return nil }
        let index = Int(id)
        let isSame =
            records[index].namespace == tag.namespace
            && Bytes.areEqual(names[index], tag.bytes)
        return isSame ? index : nil
    }

    /// The tag's record, created if allowed; `nil` if it must share.
    private mutating func intern(_ tag: TagName) -> Int? {
        if ids[tag.hash] != nil { return find(tag) }
        guard shares.hasRoom(for: tag.namespace) else { return nil }
        shares.add(tag.namespace)
        let floors = shared[sharedIndex(tag)].floors
        let record = Record(
            hash: tag.hash, namespace: tag.namespace, references: 0, floors: floors,
            tally: ScopeTally(from: floors.hard))
        let index: Int
        if let reused = free.popLast() {
            index = Int(reused)
            records[index] = record
        } else {
            index = records.count
            records.append(record)
            reserveNames()
        }
        names[index] = Self.copy(tag.bytes)
        ids[tag.hash] = UInt32(index)
        return index
    }

    private mutating func reclaimIfIdle(_ index: Int) {
        let record = records[index]
        guard record.references == 0, !record.floors.isRaised else { return }
        ids[record.hash] = nil
        shares.remove(record.namespace)
        names[index].deallocate()
        names[index] = UnsafeRawBufferPointer(start: nil, count: 0)
        free.append(UInt32(index))
    }

    private mutating func reserveNames() {
        guard records.count > namesCapacity else { return }
        let fresh = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(
            capacity: namesCapacity * 2)
        fresh.initialize(from: names, count: records.count - 1)
        names.deallocate()
        names = fresh
        namesCapacity *= 2
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(copy)
    }
}

/// The location of a tag's floors: a record of its own, or one of the shared floors.
public struct TagID: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A tag with a record of its own.
    @inlinable
    package init(own index: Int) {
        rawValue = UInt32(index)
    }

    /// One of the floors shared by hash.
    @inlinable
    package init(shared index: Int) {
        rawValue = UInt32(index) | 1 << 31
    }

    @inlinable package var isShared: Bool { rawValue >> 31 == 1 }
    @inlinable package var index: Int { Int(rawValue & (1 << 31 - 1)) }
}
