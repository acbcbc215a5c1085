import ByteCoding
import CacheModel

/// The floors of paced scopes, which are narrowed to ranges of route hashes.
///
/// Entries do not store their route hash. It is computed when an entry is checked, and only while a
/// scope that covers it is being paced; so a hit that was checked since the last rise pays nothing.
///
/// Bounded by scopes and by ranges in each. Above a limit the whole scope has to rise. Retired like
/// other floors, after a round of the sweep.
struct PacedFloors {
    /// The scope that a range narrows. Tags by their hash, as in ``TagTable``: two tags with one
    /// hash are hidden together.
    enum Cover: Hashable {
        case tag(UInt64, NamespaceNumber)
        case prefix([UInt8], NamespaceNumber)
        case namespace(NamespaceNumber)
        case everything
    }

    private struct Part {
        let cover: Cover
        var ranges = RangedFloors()
    }

    private let scopesMax: Int
    private let rangesMax: Int
    private var parts: [Part] = []
    /// The names of the namespaces, by number: they are part of the route hash.
    private var names: [[UInt8]] = []
    /// The ordinal of the newest rise: an entry checked since then can skip the ranges.
    private var raisedAt = FloorOrdinal.never

    init(limits: MemoryTierLimits) {
        scopesMax = limits.pacedScopesMax
        rangesMax = limits.pacedRangesMax
    }

    var scopeCount: Int { parts.count }

    mutating func name(_ namespaces: [[UInt8]]) { names = namespaces }

    /// - Returns: `false` if a limit is reached and nothing was raised: the whole scope must be
    ///   raised instead.
    mutating func raise(
        _ cover: Cover, _ range: ClosedRange<UInt64>, _ rise: FloorRise
    ) -> Bool {
        let known = parts.firstIndex { $0.cover == cover }
        guard known != nil || parts.count < scopesMax else { return false }
        let index = known ?? parts.count
        if known == nil { parts.append(Part(cover: cover)) }
        guard parts[index].ranges.raise(range, rise, piecesMax: rangesMax) else {
            if parts[index].ranges.isEmpty { parts.removeLast() }
            return false
        }
        raisedAt = rise.ordinal
        return true
    }

    /// Adds to `verdict` the ranges over an entry that have risen since `checkedAt`.
    func judge(
        _ entry: Entry, _ tags: borrowing TagTable, checkedAt: FloorOrdinal,
        into verdict: inout FloorVerdict
    ) {
        guard raisedAt > checkedAt else { return }
        let fill = entry.fill
        forEach(over: entry, tags) { _, floors in verdict.meet(floors, fill: fill) }
    }

    /// Calls `body` with the floors of ranges that cover the entry.
    func forEach(
        over entry: Entry, _ tags: borrowing TagTable,
        _ body: (_ cover: Cover, _ floors: ScopeFloors) -> Void
    ) {
        let key = entry.key
        let namespace = entry.namespace
        forEach(over: key, in: namespace, body) { hash in
            for index in 0..<entry.tagCount
            where tags.mayBe(entry.tagID(index), hash: hash, in: namespace) {
                return true
            }
            return false
        }
    }

    /// Calls `body` with the floors of ranges that cover a key.
    ///
    /// - Parameter carries: whether it has a tag of this hash.
    func forEach(
        over key: UnsafeRawBufferPointer, in namespace: NamespaceNumber,
        _ body: (_ cover: Cover, _ floors: ScopeFloors) -> Void,
        carries: (_ tag: UInt64) -> Bool
    ) {
        guard !parts.isEmpty else { return }
        var route: UInt64?
        for part in parts {
            let isCovered =
                switch part.cover {
                case .everything: true
                case .namespace(let number): number == namespace
                case .prefix(let prefix, let number):
                    number == namespace && key.starts(with: prefix)
                case .tag(let hash, let number): number == namespace && carries(hash)
                }
            guard isCovered else { continue }
            guard let hash = route ?? routeHash(key, namespace) else {
                // A namespace added later: every range covers it.
                for piece in part.ranges.pieces { body(part.cover, piece.floors) }
                continue
            }
            route = hash
            if let floors = part.ranges.floors(at: hash) { body(part.cover, floors) }
        }
    }

    /// Drops floors that last rose at or before `ordinal`; returns the highest of them.
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        for index in parts.indices {
            highest = max(highest, parts[index].ranges.retire(through: ordinal))
        }
        parts.removeAll { $0.ranges.isEmpty }
        return highest
    }

    /// Resets when each rose: all count as risen at the first ordinal, since every entry is
    /// unchecked.
    mutating func restartOrdinals() {
        raisedAt = .first
        for index in parts.indices { parts[index].ranges.restartOrdinals() }
    }

    /// `nil` if the namespace has no name yet.
    func routeHash(
        _ key: UnsafeRawBufferPointer, _ namespace: NamespaceNumber
    ) -> UInt64? {
        name(of: namespace)?.withUnsafeBytes { StableHash.route($0, key) }
    }

    /// `nil` if the namespace has no name yet.
    func name(of namespace: NamespaceNumber) -> [UInt8]? {
        let number = Int(namespace.rawValue)
        return number < names.count ? names[number] : nil
    }
}
