import CacheModel

/// Limits of one shard's memory tier. Every field is a hard limit.
package struct MemoryTierLimits: Sendable {
    /// Maximum bytes of memory for entries: touched slots, whether in use or not, the index and the
    /// policy. Reaching it evicts; a store fails only if no entry may be evicted. At most
    /// ``residentBytesReach``.
    package var residentBytesMax: Int
    /// Maximum number of entries, at least 1; `nil`: limited by memory. Never exceeded: storing a
    /// further key evicts an entry.
    package var entriesMax: Int?
    /// The unit of `residentBytesMax`. Units other than memory are for comparing policies.
    package var weighing = EntryWeighing.memory
    /// Maximum share of `residentBytesMax` for holes – free slots usable by their own size only –
    /// before entries are moved to close them.
    package var holeShareMax = 0.03
    /// Maximum share of `residentBytesMax` for one entry, above 0 and at most 1. A larger one is
    /// refused as `tooLarge`: it would evict too many others.
    package var entryShareMax = 0.1
    /// Maximum number of tags with a floor of their own. Further tags share 4 096 floors by hash.
    /// No namespace has more than it leaves free: 65 536 alone.
    package var tagsMax = 131_072
    /// Maximum number of prefixes with a floor. A further one raises the floor of its namespace. No
    /// namespace has more than it leaves free: 4 096 alone.
    package var prefixFloorsMax = 8_192
    /// Maximum number of distinct prefix lengths per namespace: each costs one hash when an entry
    /// of it is checked.
    package var prefixLengthsMax = 16
    /// Maximum number of scopes paced at once, and of ranges in each. Above it the whole scope
    /// rises.
    package var pacedScopesMax = 128
    package var pacedRangesMax = 4_096
    /// Maximum number of key floors, in two generations of half of it. Above it the older half is
    /// dropped and the token base rises; no entry is hidden by that.
    package var keyFloorsMax = 131_072
    /// Maximum number of load leases given and remembered at once. Above it the oldest is void.
    package var loadLeasesMax = 65_536
    /// Minimum time that a floor is kept after the start of the sweep that retires it. Retiring
    /// raises the token base, so this should exceed the lifetime of a fill token.
    package var floorAgeMin = Duration.seconds(60)

    /// How long an ended entry with an ETag that a node loaded is kept, for revalidation with the
    /// origin.
    static let endedFor = Duration.seconds(600)

    /// Minimum time between the end of an urgent sweep and the next one.
    package var urgentSweepRest = Duration.seconds(5)

    package init(residentBytesMax: Int) {
        self.residentBytesMax = residentBytesMax
    }

    /// A shard's references reach 32 GiB of addresses; entries use at most half of them.
    package static var residentBytesReach: Int { EntryReference.reachBytes / 2 }

    /// Approximate memory of the entries, by which addresses are reserved.
    var memoryBytesExpected: Int {
        weighing == .memory ? residentBytesMax : Self.residentBytesReach / 4
    }

    /// Checks the relations of the limits. Called by every tier at start.
    package func check() {
        precondition(residentBytesMax > 0, "a tier has a positive size")
        precondition(entriesMax ?? 1 > 0, "a tier has a positive size")
        precondition(entryShareMax > 0 && entryShareMax <= 1, "a share is between 0 and 1")
        precondition(
            (0...Int(UInt32.max >> 1)).contains(tagsMax), "a tag's number takes 31 bits")
        precondition(prefixFloorsMax >= 0 && prefixLengthsMax >= 0, "a bound is not negative")
        precondition(pacedScopesMax >= 0 && pacedRangesMax >= 0, "a bound is not negative")
        precondition(keyFloorsMax >= 2, "each generation has at least one key floor")
        precondition(loadLeasesMax > 0, "without leases no reader may load")
        precondition(
            weighing != .memory || residentBytesMax <= Self.residentBytesReach,
            "a shard keeps at most 16 GiB in memory: use more shards")
        precondition(holeShareMax > 0 && holeShareMax < 1, "a share is between 0 and 1")
        precondition(CacheKey.bytesMax <= 4_096, "a key's length takes twelve bits")
        precondition(Tag.perEntryMax <= Int(UInt8.max), "an entry's tags are counted in a byte")
        precondition(Validator.bytesMax <= Int(UInt8.max), "an ETag's length takes one byte")
    }
}
