package import ByteCoding

/// The entries in force, by the number of their key, as threads that answer requests receive them.
public struct AccessTable: Hashable, Sendable {
    private let entries: [AccessEntry?]
    /// The rights that each key has for everything there is, as bits. Most keys have no other
    /// rights, and a look here copies no entry.
    @usableFromInline
    let everywhere: [UInt8]

    /// - Parameter entries: at the index of their number; index 0 belongs to no key.
    public init(_ entries: [AccessEntry?]) {
        self.entries = entries
        everywhere = entries.map { $0?.rightsEverywhere.rawValue ?? 0 }
    }

    /// Whether the holder of a key has one of `wanted` for everything there is.
    ///
    /// - Complexity: O(1), and nothing is retained.
    @inlinable
    public func mayEverywhere(_ number: PrincipalNumber, _ wanted: AccessRights) -> Bool {
        let index = Int(number.rawValue)
        return index < everywhere.count && everywhere[index] & wanted.rawValue != 0
    }

    /// The table without entries: it admits no key.
    public static let empty = AccessTable([])

    /// - Returns: `nil` if the key is not in the list, or not any more.
    /// - Complexity: O(1).
    @inlinable
    public func entry(of number: PrincipalNumber) -> AccessEntry? {
        entry(at: Int(number.rawValue))
    }

    /// How many numbers there are, 0 among them.
    var count: Int { entries.count }

    /// Whether a key that may follow the log by this table may not by a later one.
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

/// The number of a public key inside one process: given by its gatekeeper in the order in which
/// keys appear, and never given again.
public struct PrincipalNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A peer without a key that was checked.
    public static let unknown = PrincipalNumber(rawValue: 0)
}
