import CacheModel

/// Bounds of one shard's memory tier, side by side. Every field is a hard bound.
package struct MemoryTierLimits: Sendable {
    /// Most bytes of memory for entries: slots that were touched, whether in use or not, the index
    /// and what the policy keeps. Reaching it evicts; it fails a store only if no entry may leave.
    /// At most ``residentBytesReach``.
    package var residentBytesMax: Int
    /// Most entries, at least 1; `nil`: as many as there is memory for. Never exceeded: storing a
    /// key more evicts one.
    package var entriesMax: Int?
    /// What `residentBytesMax` counts. Anything but memory is for comparing policies.
    package var weighing = EntryWeighing.memory
    /// Largest share of `residentBytesMax` that holes – free slots only their own size can use –
    /// take before entries are moved to close them.
    package var holeShareMax = 0.03
    /// Largest share of `residentBytesMax` one entry may take, above 0 and at most 1. A larger
    /// one is refused as `tooLarge`: keeping it would push out too many others.
    package var entryShareMax = 0.1
    /// Most distinct tags with a floor of their own. Further tags share 4 096 floors by hash. No
    /// namespace has more than it leaves free: 65 536 alone.
    package var tagsMax = 131_072
    /// Most prefixes with a floor. A further one raises the floor of its namespace. No namespace
    /// has more than it leaves free: 4 096 alone.
    package var prefixFloorsMax = 8_192
    /// Most distinct lengths among those of one namespace: each costs one hash when an entry of it
    /// is checked.
    package var prefixLengthsMax = 16
    /// Most scopes that are paced at once, and ranges in each. Past either the whole scope rises.
    package var pacedScopesMax = 128
    package var pacedRangesMax = 4_096
    /// Most key floors, in two generations of half of it. Past it the older half is dropped and
    /// the token base rises; no entry is hidden by that.
    package var keyFloorsMax = 131_072
    /// Most load leases given and remembered at once. Past it the oldest is void.
    package var loadLeasesMax = 65_536
    /// Least time a floor stands after the sweep that retires it began. Retiring raises the token
    /// base, so this should exceed the life of a fill token.
    package var floorAgeMin = Duration.seconds(60)

    /// For how long after its end an entry with an ETag stays that a node loaded, so that the
    /// origin can be asked about it.
    static let endedFor = Duration.seconds(600)

    /// Least time between the end of an urgent sweep and the next one.
    package var urgentSweepRest = Duration.seconds(5)

    package init(residentBytesMax: Int) {
        self.residentBytesMax = residentBytesMax
    }

    /// A shard's references name 32 GiB of addresses, of which entries take a half at most.
    package static var residentBytesReach: Int { EntryReference.reachBytes / 2 }

    /// Memory that entries will take, about: addresses are reserved by it.
    var memoryBytesExpected: Int {
        weighing == .memory ? residentBytesMax : Self.residentBytesReach / 4
    }

    /// The relations that must hold. Called by every tier at its start.
    package func check() {
        precondition(residentBytesMax > 0, "a tier without room can hold nothing")
        precondition(entriesMax ?? 1 > 0, "a tier without room can hold nothing")
        precondition(entryShareMax > 0 && entryShareMax <= 1, "a share lies between 0 and 1")
        precondition(
            (0...Int(UInt32.max >> 1)).contains(tagsMax), "a tag's number takes 31 bits")
        precondition(prefixFloorsMax >= 0 && prefixLengthsMax >= 0, "a bound is not negative")
        precondition(pacedScopesMax >= 0 && pacedRangesMax >= 0, "a bound is not negative")
        precondition(keyFloorsMax >= 2, "two generations of key floors need room for one each")
        precondition(loadLeasesMax > 0, "without leases nobody may load")
        precondition(
            weighing != .memory || residentBytesMax <= Self.residentBytesReach,
            "a shard keeps at most 16 GiB in memory: use more shards")
        precondition(holeShareMax > 0 && holeShareMax < 1, "a share lies between 0 and 1")
        precondition(CacheKey.bytesMax <= 4_096, "a key's length takes twelve bits")
        precondition(Tag.perEntryMax <= Int(UInt8.max), "an entry's tags are counted in a byte")
        precondition(Validator.bytesMax <= Int(UInt8.max), "an ETag's length takes one byte")
    }
}
