import ByteCoding
package import CacheModel

/// All floors that apply to a disk tier's entries, for the lifetime of the tier.
///
/// The memory tier drops floors once a sweep has checked every entry against them. No sweep covers
/// the disk: an entry is checked when it is read, perhaps a year later. So these floors are kept,
/// in bounded memory, and in a checkpoint across restarts. The tier's owner raises them with each
/// record it applies, asks for a verdict on each entry read, and stores them; nothing here touches
/// anything else.
///
///     range ──▶ tags of a bucket
///       ├─────▶ prefix ──▶ namespace ──▶ everything
///       └─────▶ namespace, everything
///
/// If there is no space, the lowest floor is *folded* into the next wider scope, along the arrows:
/// being the oldest, it hides the fewest entries that were not meant. **More is hidden, never
/// less.** Tags are identified by bucket, not by name, and share floors from the start. Keys have
/// none: an invalidation of a key removes its record.
///
/// Valid for one adopted epoch: positions are sequence numbers, below 2^48. Another epoch resets
/// the tier, and with it these floors.
package struct LastingFloors: Sendable {
    /// The verdict on an entry. Hard outweighs soft.
    package enum Verdict: Sendable {
        case clear, soft, hard
    }

    let shares: FloorShares
    /// No floor is above it.
    var highest: UInt64 = 0
    var everything = FloorPair()
    var namespaces: NamedFloors
    var prefixes: NamedFloors
    var tags: TagFloors
    var ranges: RangedScopes

    /// - Parameters:
    ///   - seed: the tier's id, so that buckets are the same over restarts.
    ///   - bytesMax: maximum bytes of ``encoded()``; 1 KiB to 64 MiB.
    package init(seed: UInt64, bytesMax: Int) {
        shares = FloorShares(bytesMax: bytesMax)
        // A floor folded from here hides in every namespace, so they are folded one at a time.
        namespaces = NamedFloors(
            bytesMax: shares.namespaceBytes, countMax: FloorShares.namespacesMax,
            foldedShare: .max)
        prefixes = NamedFloors(
            bytesMax: shares.prefixBytes, countMax: FloorShares.prefixesMax, foldedShare: 16)
        tags = TagFloors(seed: seed, count: shares.bucketCount)
        ranges = RangedScopes(bytesMax: shares.rangeBytes, countMax: FloorShares.rangesMax)
    }

    /// Removes all floors, because the tier has dropped all its entries.
    package mutating func removeAll() {
        highest = 0
        everything = FloorPair()
        tags.removeAll()
        removeLists()
    }

    /// About the bytes it uses now; at most three times the stored maximum.
    package var memoryBytes: Int {
        tags.hard.bytes.count + tags.soft.bytes.count + namespaces.list.memoryBytes
            + prefixes.list.memoryBytes + ranges.memoryBytes
    }

    private mutating func removeLists() {
        namespaces.removeAll()
        prefixes.removeAll()
        ranges.removeAll()
    }
}

// MARK: - Rising

extension LastingFloors {
    /// Applies one scope of a record.
    ///
    /// - Parameter sequence: of the record's position, below 2^48.
    /// - Complexity: O(log floors); occasionally O(floors · log floors), if a list is full.
    package mutating func raise(
        _ scope: Scope, _ strength: InvalidationRecord.Strength, to sequence: UInt64
    ) {
        precondition(sequence <= SequenceNumber.max.rawValue, "floors are kept in 48 bits")
        guard let name = name(of: scope.target) else { return }
        let floors = FloorPair(strength, sequence)
        if let range = scope.hashRange, range != 0...UInt64.max {
            ranges.raise(name, range, to: floors)
            for (name, floors) in ranges.takeLowest() { raise(name, to: floors) }
        } else {
            // Below the floor of everything, no other has an effect.
            if name == .everything, strength == .hard, sequence >= highest { removeLists() }
            raise(name, to: floors)
        }
        highest = max(highest, sequence)
    }

    private mutating func raise(_ name: ScopeName, to floors: FloorPair) {
        switch name.kind {
        case .everything: everything.raise(to: floors)
        case .bucket(let bucket): tags.raise(bucket, to: floors)
        case .namespace:
            namespaces.raise(name, to: floors)
            for (_, floors) in namespaces.takeLowest() { everything.raise(to: floors) }
        case .prefix:
            prefixes.raise(name, to: floors)
            for (name, floors) in prefixes.takeLowest() { raise(name.namespace, to: floors) }
        }
    }

    private func name(of target: Scope.Target) -> ScopeName? {
        switch target {
        case .key: nil
        case .tag(let tag, let namespace): ScopeName(bucket: tags.bucket(of: tag, in: namespace))
        case .prefix(let prefix, let namespace):
            ScopeName(prefix: prefix, in: namespace, lengthMax: shares.prefixLengthMax)
        case .namespace(let namespace): ScopeName(namespace)
        case .everything: .everything
        }
    }
}

// MARK: - Judging

extension LastingFloors {
    /// The verdict on an entry that was read.
    ///
    /// - Complexity: O(tags + log floors). The route hash is computed only if a range may cover it.
    package func verdict(over entry: DiskEntry) -> Verdict {
        let fill = entry.fill
        guard fill < highest else { return .clear }
        let namespace = ScopeName.short(entry.namespace)
        var floors = everything
        if !tags.isEmpty {
            tags.forEachBucket(of: entry, in: namespace) { floors.raise(to: tags.floors(of: $0)) }
        }
        addNamed(entry, namespace, to: &floors)
        if fill < ranges.highest, fill >= floors.hard { addRanged(entry, namespace, to: &floors) }
        return floors.verdict(overFill: fill)
    }

    private func addNamed(
        _ entry: DiskEntry, _ namespace: UnsafeRawBufferPointer, to floors: inout FloorPair
    ) {
        if entry.fill < namespaces.highest {
            ScopeName.with(namespace, UnsafeRawBufferPointer(start: nil, count: 0)) {
                namespaces.add($0, to: &floors)
            }
        }
        if entry.fill < prefixes.highest {
            ScopeName.with(namespace, entry.key) { prefixes.add(beginning: $0, to: &floors) }
        }
    }

    private func addRanged(
        _ entry: DiskEntry, _ namespace: UnsafeRawBufferPointer, to floors: inout FloorPair
    ) {
        var known: UInt64?
        func route() -> UInt64 {
            if let known { return known }
            let hash = ScopeName.withLong(namespace) { StableHash.route($0, entry.key) }
            known = hash
            return hash
        }
        ScopeName.with(namespace, entry.key) {
            ranges.add(beginning: $0, at: route, to: &floors)
        }
        tags.forEachBucket(of: entry, in: namespace) { bucket in
            ScopeName(bucket: bucket).bytes.withUnsafeBytes {
                ranges.add($0, at: route, to: &floors)
            }
        }
    }
}

/// How the bytes for stored floors are divided among their kinds.
///
/// The number of buckets is a power of two, and they take 40 to 80 % of all bytes; ranges get half
/// of the rest, namespaces and prefixes a quarter each.
struct FloorShares: Equatable, Sendable {
    /// Bytes before the first floor.
    static let headBytes = 48
    /// Fewer leave no space for any list.
    static let bytesMin = 1_024
    static let namespacesMax = 1_024
    /// So that folding takes no more than milliseconds, however large the share.
    static let prefixesMax = 16_384
    static let rangesMax = 16_384

    let bucketCount: Int
    let namespaceBytes: Int
    let prefixBytes: Int
    let rangeBytes: Int

    init(bytesMax: Int) {
        precondition(
            (Self.bytesMin...DiskLimits.checkpointBytesMax).contains(bytesMax),
            "floors are kept in a checkpoint")
        var count = 1
        while count * 2 * FloorPair.bytes <= bytesMax / 5 * 4 { count *= 2 }
        bucketCount = count
        let rest = bytesMax - Self.headBytes - count * FloorPair.bytes
        namespaceBytes = min(
            rest / 4, Self.namespacesMax * NamedFloors.bytes(ofName: 1 + Namespace.bytesMax))
        rangeBytes = rest / 2
        prefixBytes = rest - namespaceBytes - rangeBytes
    }

    /// Where a prefix is cut: sixteen of them must fit.
    var prefixLengthMax: Int { max(prefixBytes / 16, 1) }
}
