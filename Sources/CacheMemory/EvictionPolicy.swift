/// Who leaves when room is needed.
///
/// Told of entries that come, are replaced and leave; never of a hit: a lookup only raises the
/// frequency in the entry's head, and a policy reads it when the entry is next considered. The
/// head's `queueSlot` and the flag `proven` belong to the policy.
///
/// Promises, which every policy is tested for: an admitted entry is held until it is removed,
/// replaced or taken; ``takeVictim()`` answers with each held entry once, and `nil` only when none
/// is held.
package protocol EvictionPolicy: AnyObject {
    var entryCount: Int { get }

    /// A new key came. Its entry may carry a frequency already.
    func admit(_ entry: Entry)

    /// `new` takes the place of `old`, an entry of the same key that is about to be freed.
    func replace(_ old: Entry, with new: Entry)

    /// The entry leaves for a reason of its own.
    func remove(_ entry: Entry)

    /// Chooses who leaves, and holds it no longer.
    func takeVictim() -> Entry?

    /// Whether the entry is held where its head says. For checks.
    func holds(_ entry: Entry) -> Bool
}

/// The policies there are, as the configuration names them.
package enum EvictionPolicyName: String, CaseIterable, Sendable {
    /// Quick demotion through a small queue, a main queue with second chances, and ghosts.
    case s3fifo
    /// One queue with second chances.
    case clock

    func make() -> any EvictionPolicy {
        switch self {
        case .s3fifo: S3FIFOPolicy()
        case .clock: ClockPolicy()
        }
    }
}
