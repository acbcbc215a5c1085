package import CacheModel

/// What is known of one key, for people who ask why it is served or is not.
package struct EntryAccount {
    /// The entry, also where it is hidden; `nil` if none is there.
    package var entry: EntryView?
    package var standing: MemoryTier.Standing?
    /// Everything that covers the key and has risen. Of an entry's tags too; of a key without an
    /// entry only the one that took the last entry away, as far as that is remembered.
    package var floors: [CoveringFloor]
    /// Tokens from before it are refused.
    package var tokenBase: FillStamp
}

extension MemoryTier {
    /// Says what is known of `key`, and changes nothing: nothing is counted, moved or removed.
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
