package import ByteCoding

/// The entries in force, by the number of their key: what a thread that answers requests is told.
public struct AccessTable: Hashable, Sendable {
    private let entries: [AccessEntry?]

    /// - Parameter entries: at the place of their number; 0 is nobody's.
    public init(_ entries: [AccessEntry?]) {
        self.entries = entries
    }

    /// Nobody is let in.
    public static let empty = AccessTable([])

    /// - Returns: `nil` if the key is not in the list, or not any more.
    /// - Complexity: O(1).
    @inlinable
    public func entry(of number: PrincipalNumber) -> AccessEntry? {
        entry(at: Int(number.rawValue))
    }

    /// How many numbers there are, nobody's among them.
    var count: Int { entries.count }

    /// Whether somebody who may follow the log by this table may not by a later one.
    public func followers(lostIn later: AccessTable) -> Bool {
        entries.indices.contains { index in
            entries[index]?.mayFollowLog == true && later.entry(at: index)?.mayFollowLog != true
        }
    }

    /// The entries of some keys; those that are not in the list have none.
    ///
    /// - Complexity: O(entries).
    package func entries(holding keys: Set<PublicKey>) -> [PublicKey: AccessEntry] {
        var found: [PublicKey: AccessEntry] = [:]
        for case let entry? in entries where keys.contains(entry.key) { found[entry.key] = entry }
        return found
    }

    @usableFromInline
    func entry(at index: Int) -> AccessEntry? {
        index < entries.count ? entries[index] : nil
    }
}
