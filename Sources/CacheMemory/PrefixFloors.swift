import ByteCoding
import CacheModel

/// The floors of prefixes, found by the hash of (namespace, prefix).
///
/// To check a key is to hash its beginning once for each length that some prefix has; so lengths
/// are bounded as well as prefixes. Two prefixes of one hash share floors, which hides more.
struct PrefixFloors {
    private let hasher: KeyHasher
    private let floorsMax: Int
    private let lengthsMax: Int
    private var floors: [UInt64: ScopeFloors] = [:]
    /// Ascending by bytes, with how many prefixes have that length.
    private var lengths: [(bytes: Int, count: Int)] = []
    private var lengthByHash: [UInt64: Int] = [:]
    /// The ordinal of the newest rise: an entry checked since then need not look.
    private var raisedAt = FloorOrdinal.never

    init(hasher: KeyHasher, limits: MemoryTierLimits) {
        self.hasher = hasher
        floorsMax = limits.prefixFloorsMax
        lengthsMax = limits.prefixLengthsMax
    }

    var count: Int { floors.count }

    /// - Returns: `false` if a bound is reached and nothing was raised: the namespace's floor must
    ///   stand in for it.
    mutating func raise(
        _ prefix: UnsafeRawBufferPointer, in namespace: NamespaceNumber, _ rise: FloorRise
    ) -> Bool {
        let hash = hash(prefix, namespace)
        if floors[hash] == nil {
            guard floors.count < floorsMax, countLength(prefix.count) else { return false }
            lengthByHash[hash] = prefix.count
        }
        floors[hash, default: ScopeFloors()].raise(rise)
        raisedAt = rise.ordinal
        return true
    }

    /// Adds to `verdict` what the prefixes of `key` say that have risen since `checkedAt`.
    func judge(
        _ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber, fill: FillStamp,
        checkedAt: FloorOrdinal, into verdict: inout FloorVerdict
    ) {
        guard raisedAt > checkedAt else { return }
        forEach(over: key, in: namespace) { _, floors in verdict.meet(floors, fill: fill) }
    }

    /// The highest floor over `key`.
    func highest(
        over key: UnsafeRawBufferPointer, in namespace: NamespaceNumber
    ) -> FillStamp {
        var highest = FillStamp.none
        forEach(over: key, in: namespace) { _, floors in highest = max(highest, floors.highest) }
        return highest
    }

    /// Shows the prefixes of `key` that have floors, the shortest first.
    @inline(__always)
    func forEach(
        over key: UnsafeRawBufferPointer, in namespace: NamespaceNumber,
        _ body: (_ prefix: UnsafeRawBufferPointer, _ floors: ScopeFloors) -> Void
    ) {
        for length in lengths where length.bytes <= key.count {
            let prefix = UnsafeRawBufferPointer(rebasing: key[..<length.bytes])
            if let floors = floors[hash(prefix, namespace)] { body(prefix, floors) }
        }
    }

    /// Drops what last rose at or before `ordinal`; answers with the highest of it.
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        for (hash, floors) in floors where floors.raisedAt <= ordinal {
            highest = max(highest, floors.highest)
            self.floors[hash] = nil
            if let bytes = lengthByHash.removeValue(forKey: hash) { uncountLength(bytes) }
        }
        return highest
    }

    /// Forgets when each rose: all count as risen before ordinal one.
    mutating func restartOrdinals() {
        raisedAt = .never
        for hash in Array(floors.keys) { floors[hash]?.raisedAt = .never }
    }

    private func hash(
        _ prefix: UnsafeRawBufferPointer, _ namespace: NamespaceNumber
    ) -> UInt64 {
        hasher.hash(prefix, room: UInt64(namespace.rawValue) | HashRoom.prefix)
    }

    private mutating func countLength(_ bytes: Int) -> Bool {
        if let index = lengths.firstIndex(where: { $0.bytes == bytes }) {
            lengths[index].count += 1
            return true
        }
        guard lengths.count < lengthsMax else { return false }
        let index = lengths.firstIndex { $0.bytes > bytes } ?? lengths.count
        lengths.insert((bytes, 1), at: index)
        return true
    }

    private mutating func uncountLength(_ bytes: Int) {
        guard let index = lengths.firstIndex(where: { $0.bytes == bytes }) else { return }
        lengths[index].count -= 1
        if lengths[index].count == 0 { lengths.remove(at: index) }
    }
}

/// Keeps the hashes of keys, tags and prefixes of one namespace apart.
enum HashRoom {
    static let tag: UInt64 = 1 << 32
    static let prefix: UInt64 = 2 << 32
}
