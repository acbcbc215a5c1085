import CacheModel

/// Remembers which invalidation removed the last entry of a key, for EXPLAIN. An entry's tags are
/// removed with it, so no other state has this.
///
/// A direct-mapped table by hash: a removal overwrites another key's slot. It is diagnostic only.
struct GoneEntries {
    static let countMax = 1_024
    /// Maximum number of tag names; a further one overwrites the oldest.
    static let namesMax = 64

    enum Cover: Equatable {
        case key
        /// By its hash in the namespace, as in ``TagTable``.
        case tag(UInt64)
        case namespace
        case everything
    }

    struct Removal {
        let hash: KeyHash
        let namespace: NamespaceNumber
        let cover: Cover
        let stamp: FillStamp
    }

    /// Empty until the first removal.
    private var removals: [Removal?] = []
    private var names: [(hash: UInt64, bytes: [UInt8])] = []
    private var nextName = 0

    /// Whether nothing was ever removed.
    var isEmpty: Bool { removals.isEmpty }

    mutating func append(_ removal: Removal) {
        if removals.isEmpty { removals = Array(repeating: nil, count: Self.countMax) }
        removals[Self.place(of: removal.hash)] = removal
    }

    /// Forgets a key with a last entry that was removed for another reason.
    mutating func forget(_ hash: KeyHash) {
        guard !removals.isEmpty, removals[Self.place(of: hash)]?.hash == hash else { return }
        removals[Self.place(of: hash)] = nil
    }

    private static func place(of hash: KeyHash) -> Int {
        Int(hash.rawValue % UInt64(countMax))
    }

    /// Keeps the name of a tag, once.
    ///
    /// - Parameter bytes: called only if it is not kept yet.
    mutating func name(_ hash: UInt64, _ bytes: () -> [UInt8]) {
        guard !names.contains(where: { $0.hash == hash }) else { return }
        if names.count < Self.namesMax {
            names.append((hash, bytes()))
        } else {
            names[nextName] = (hash, bytes())
        }
        nextName = (nextName + 1) % Self.namesMax
    }

    /// The floor that removed the last entry of a key; `nil` if unknown. O(1).
    func floor(over hash: KeyHash, _ namespace: NamespaceNumber) -> CoveringFloor? {
        guard !removals.isEmpty, let found = removals[Self.place(of: hash)], found.hash == hash,
            found.namespace == namespace
        else { return nil }
        var floor = CoveringFloor(cover(found.cover), hard: found.stamp)
        floor.hidLast = true
        return floor
    }

    private func cover(_ cover: Cover) -> CoveringFloor.Cover {
        switch cover {
        case .key: .key
        case .tag(let hash): .tag(names.first { $0.hash == hash }?.bytes ?? [])
        case .namespace: .namespace
        case .everything: .everything
        }
    }
}

extension FloorTable {
    /// Remembers the highest floor over an entry that an invalidation removes. Prefixes and parts
    /// of scopes are omitted, as they take a search per entry.
    mutating func remember(_ entry: Entry, _ hash: KeyHash) {
        let (fill, namespace) = (entry.fill, entry.namespace)
        var found: (cover: GoneEntries.Cover, stamp: FillStamp)?
        func meet(_ cover: GoneEntries.Cover, _ stamp: FillStamp) {
            if stamp > fill, stamp > found?.stamp ?? .none { found = (cover, stamp) }
        }
        meet(.everything, everything.hard)
        meet(.namespace, floors(of: namespace).hard)
        for index in 0..<entry.tagCount {
            let id = entry.tagID(index)
            // Tags with a shared floor have no name.
            guard !id.isShared else { continue }
            meet(.tag(tags.records[id.index].hash), tags.floors(id).hard)
        }
        meet(.key, keyFloor(of: hash).highest)
        guard let found else { return }
        gone.append(
            .init(hash: hash, namespace: namespace, cover: found.cover, stamp: found.stamp))
        if case .tag(let tag) = found.cover, let name = tags.name(tag, in: namespace) {
            gone.name(tag) { [UInt8](name) }
        }
    }

    /// Adds the floor that removed the key's last entry to its covering floors.
    func addGone(
        _ hash: KeyHash, _ namespace: NamespaceNumber, to floors: inout [CoveringFloor]
    ) {
        guard let last = gone.floor(over: hash, namespace) else { return }
        let known = floors.firstIndex { $0.cover == last.cover && $0.hard == last.hard }
        if let known {
            floors[known].hidLast = true
        } else {
            floors.append(last)
        }
    }
}
