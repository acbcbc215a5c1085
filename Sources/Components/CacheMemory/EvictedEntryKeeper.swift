package import CacheModel

/// Receives entries that memory evicts, to keep them elsewhere.
///
/// Called on the tier's thread, during a store or shrink: it must not call the tier.
package protocol EvictedEntryKeeper: AnyObject {
    /// Receives a visible entry that is evicted for space, and for no other reason.
    ///
    /// - Parameters:
    ///   - entry: valid until this returns.
    ///   - hash: of its key, as the tier computes it.
    func keep(_ entry: EntryView, _ hash: KeyHash, now: Instant)
}
