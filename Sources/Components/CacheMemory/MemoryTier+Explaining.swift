package import CacheModel

/// The state of one key, for diagnosis of why it is served or not.
package struct EntryAccount {
    /// The entry, even if hidden; `nil` if there is none.
    package var entry: EntryView?
    package var standing: MemoryTier.Standing?
    /// Every raised floor that covers the key, and an entry's tags. Without an entry, of tags only
    /// the floor that removed the last entry, if remembered.
    package var floors: [CoveringFloor]
    /// Tokens below it are refused.
    package var tokenBase: FillStamp
}

extension MemoryTier {
    /// Reports the state of `key` without side effects: nothing is counted, moved or removed.
    ///
    /// - Complexity: O(tags + lengths of prefixes).
    package mutating func explain(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer, now: Instant
    ) -> EntryAccount {
        let found = index.find(hash, namespace: namespace, key: key)
        var account = EntryAccount(
            floors: floors.covering(hash, key, in: namespace, found),
            tokenBase: floors.tokenBase)
        if let found {
            account.standing = check(found, now: now)
            account.entry = view(of: found)
        } else {
            floors.addGone(hash, namespace, to: &account.floors)
        }
        return account
    }
}
