import CacheModel

/// What each scope covers: counted where its floors stand.
extension FloorTable {
    /// An entry came; its tags are retained.
    mutating func entryCame(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.add(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.count(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// An entry leaves, and its tags are released.
    mutating func entryLeft(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.subtract(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.release(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// What a new invalidation of everything would hide.
    ///
    /// - Complexity: O(namespaces).
    var countOfEverything: ScopeCount { tallies.everything(under: everything.hard) }

    /// The same of a namespace. What is hidden with everything is not counted either.
    func count(of namespace: NamespaceNumber) -> ScopeCount {
        ScopeCount(tallies.tally(of: namespace), under: floors(of: namespace).hard)
    }

    func count(of tag: UnsafeRawBufferPointer, in namespace: NamespaceNumber) -> ScopeCount {
        tags.count(of: name(tag, namespace))
    }
}
