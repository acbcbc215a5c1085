import CacheModel

/// Counts of the entries that each scope covers.
extension FloorTable {
    /// Counts a new entry; its tags are retained.
    mutating func entryCame(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.add(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.count(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// Counts a removed entry; its tags are released.
    mutating func entryLeft(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.subtract(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.release(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// The entries that a new invalidation of everything would hide.
    ///
    /// - Complexity: O(namespaces).
    var countOfEverything: ScopeCount { tallies.everything(under: everything.hard) }

    /// The same for a namespace. Entries hidden by everything's floor are not counted either.
    func count(of namespace: NamespaceNumber) -> ScopeCount {
        ScopeCount(tallies.tally(of: namespace), under: floors(of: namespace).hard)
    }

    func count(of tag: UnsafeRawBufferPointer, in namespace: NamespaceNumber) -> ScopeCount {
        tags.count(of: name(tag, namespace))
    }
}
