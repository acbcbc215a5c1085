import ByteCoding
import CacheModel

/// The floors of prefixes, found by the hash of (namespace, prefix).
///
/// A check of a key hashes its beginning once for each prefix length of its namespace; so lengths
/// are limited as well as prefixes. One namespace's prefixes cost the others nothing: they have
/// lengths of their own, and ``NamespaceShares`` of the floors.
struct PrefixFloors {
    private struct Record {
        var floors = ScopeFloors()
        let namespace: NamespaceNumber
        let byteCount: Int
    }

    /// The prefixes of one namespace.
    private struct Room {
        /// Ascending by bytes, with the number of prefixes of that length.
        var lengths: [(bytes: Int, count: Int)] = []
        /// The ordinal of the newest rise: an entry checked since then can skip the prefixes.
        var raisedAt = FloorOrdinal.never
    }

    private let hasher: KeyHasher
    private let lengthsMax: Int
    private var shares: NamespaceShares
    private var records: [UInt64: Record] = [:]
    /// By number.
    private var rooms: [Room] = []

    init(hasher: KeyHasher, limits: MemoryTierLimits) {
        self.hasher = hasher
        lengthsMax = limits.prefixLengthsMax
        shares = NamespaceShares(countMax: limits.prefixFloorsMax)
    }

    var count: Int { records.count }

    /// - Returns: `false` if a limit is reached, or a prefix of another namespace or length has the
    ///   same hash, and nothing was raised: the namespace's floor must be raised instead.
    mutating func raise(
        _ prefix: UnsafeRawBufferPointer, in namespace: NamespaceNumber, _ rise: FloorRise
    ) -> Bool {
        raise(hash(prefix, namespace), prefix.count, in: namespace, rise)
    }

    /// Raises the prefix of that hash and length. Two of one length share floors, which hides more.
    mutating func raise(
        _ hash: UInt64, _ byteCount: Int, in namespace: NamespaceNumber, _ rise: FloorRise
    ) -> Bool {
        if let known = records[hash] {
            guard known.namespace == namespace, known.byteCount == byteCount else { return false }
        } else {
            guard shares.hasRoom(for: namespace), countLength(byteCount, in: namespace) else {
                return false
            }
            shares.add(namespace)
            records[hash] = Record(namespace: namespace, byteCount: byteCount)
        }
        records[hash]?.floors.raise(rise)
        rooms[Int(namespace.rawValue)].raisedAt = rise.ordinal
        return true
    }

    /// Adds to `verdict` the prefixes of `key` that have risen since `checkedAt`.
    func judge(
        _ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber, fill: FillStamp,
        checkedAt: FloorOrdinal, into verdict: inout FloorVerdict
    ) {
        let index = Int(namespace.rawValue)
        guard index < rooms.count, rooms[index].raisedAt > checkedAt else { return }
        forEach(over: key, in: namespace) { _, floors in verdict.meet(floors, fill: fill) }
    }

    func highest(
        over key: UnsafeRawBufferPointer, in namespace: NamespaceNumber
    ) -> FillStamp {
        var highest = FillStamp.none
        forEach(over: key, in: namespace) { _, floors in highest = max(highest, floors.highest) }
        return highest
    }

    /// Calls `body` with the prefixes of `key` that have floors, the shortest first.
    @inline(__always)
    func forEach(
        over key: UnsafeRawBufferPointer, in namespace: NamespaceNumber,
        _ body: (_ prefix: UnsafeRawBufferPointer, _ floors: ScopeFloors) -> Void
    ) {
        let index = Int(namespace.rawValue)
        guard index < rooms.count else { return }
        for length in rooms[index].lengths where length.bytes <= key.count {
            let prefix = UnsafeRawBufferPointer(rebasing: key[..<length.bytes])
            if let record = records[hash(prefix, namespace)] { body(prefix, record.floors) }
        }
    }

    /// Drops floors that last rose at or before `ordinal`; returns the highest of them.
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        for (hash, record) in records where record.floors.raisedAt <= ordinal {
            highest = max(highest, record.floors.highest)
            records[hash] = nil
            shares.remove(record.namespace)
            uncountLength(record.byteCount, in: record.namespace)
        }
        return highest
    }

    /// Resets when each rose: all count as risen at the first ordinal, since every entry is
    /// unchecked.
    mutating func restartOrdinals() {
        for index in rooms.indices { rooms[index].raisedAt = .first }
        for hash in Array(records.keys) { records[hash]?.floors.raisedAt = .never }
    }

    private func hash(
        _ prefix: UnsafeRawBufferPointer, _ namespace: NamespaceNumber
    ) -> UInt64 {
        hasher.hash(prefix, room: UInt64(namespace.rawValue) | HashRoom.prefix)
    }

    private mutating func countLength(_ bytes: Int, in namespace: NamespaceNumber) -> Bool {
        let room = Int(namespace.rawValue)
        while rooms.count <= room { rooms.append(Room()) }
        if let index = rooms[room].lengths.firstIndex(where: { $0.bytes == bytes }) {
            rooms[room].lengths[index].count += 1
            return true
        }
        guard rooms[room].lengths.count < lengthsMax else { return false }
        let index = rooms[room].lengths.firstIndex { $0.bytes > bytes }
        rooms[room].lengths.insert((bytes, 1), at: index ?? rooms[room].lengths.count)
        return true
    }

    private mutating func uncountLength(_ bytes: Int, in namespace: NamespaceNumber) {
        let room = Int(namespace.rawValue)
        guard let index = rooms[room].lengths.firstIndex(where: { $0.bytes == bytes }) else {
            return
        }
        rooms[room].lengths[index].count -= 1
        if rooms[room].lengths[index].count == 0 { rooms[room].lengths.remove(at: index) }
    }
}

#if CACHE_CHECKED
    extension PrefixFloors {
        /// Checks the counts of each namespace.
        ///
        /// - Complexity: O(prefixes).
        func check() {
            var counted: [NamespaceNumber: [Int: Int]] = [:]
            for record in records.values {
                counted[record.namespace, default: [:]][record.byteCount, default: 0] += 1
            }
            precondition(shares.count == records.count, "every prefix is counted")
            for index in rooms.indices {
                let namespace = NamespaceNumber(UInt16(index))
                let lengths = counted[namespace] ?? [:]
                precondition(
                    shares[namespace] == lengths.values.reduce(0, +),
                    "every prefix is one of its namespace")
                precondition(
                    rooms[index].lengths.count == lengths.count
                        && rooms[index].lengths.allSatisfy { lengths[$0.bytes] == $0.count },
                    "every length is looked for, and no other")
            }
        }
    }
#endif

/// Separates the hashes of keys, tags and prefixes of one namespace.
enum HashRoom {
    static let tag: UInt64 = 1 << 32
    static let prefix: UInt64 = 2 << 32
}
