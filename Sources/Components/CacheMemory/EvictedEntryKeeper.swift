package import CacheModel

/// Somebody who may keep elsewhere what memory evicts.
///
/// Called on the tier's thread, in the middle of a store or of shrinking: it must not call the
/// tier.
package protocol EvictedEntryKeeper: AnyObject {
    /// An entry that may still be seen leaves for want of room, and for no other reason.
    ///
    /// - Parameters:
    ///   - entry: valid until this returns.
    ///   - hash: of its key, as the tier's callers know it.
    func keep(_ entry: EntryView, _ hash: KeyHash, now: Instant)
}
