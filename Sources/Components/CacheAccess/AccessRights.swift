/// What the holder of a key may do. The words are those of the list.
public struct AccessRights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Get, scan, explain, compare.
    public static let read = AccessRights(rawValue: 1 << 0)
    /// Set, touch, delete.
    public static let write = AccessRights(rawValue: 1 << 1)
    /// Invalidate, at once or over time, and ask for receipts.
    public static let invalidate = AccessRights(rawValue: 1 << 2)
    /// Ask for STATUS: the state and the counters of a process.
    public static let metrics = AccessRights(rawValue: 1 << 3)
    /// Forget a node, drain one, and see to queues of writes.
    public static let admin = AccessRights(rawValue: 1 << 4)
    /// Be the node of that name.
    public static let node = AccessRights(rawValue: 1 << 5)
    /// Follow the log and ask for replays.
    public static let relay = AccessRights(rawValue: 1 << 6)

    /// The roles of the list, in the order in which they are named.
    static let roles: [(word: String, rights: AccessRights)] = [
        ("read", .read), ("write", .write), ("invalidate", .invalidate), ("metrics", .metrics),
        ("admin", [.admin, .read, .write, .invalidate, .metrics]), ("node", .node),
        ("relay", .relay),
    ]

    /// What the role called `word` may do; `nil` if there is none.
    init?(role word: some StringProtocol) {
        guard let role = Self.roles.first(where: { $0.word == word }) else { return nil }
        self = role.rights
    }
}

extension AccessRights: CustomStringConvertible {
    /// Its words: `read,write`.
    public var description: String {
        Self.roles.filter { role in
            let isOfAdmin = role.word != "admin" && !role.rights.isDisjoint(with: Self.ofAdmin)
            return role.rights.isSubset(of: self) && !(contains(.admin) && isOfAdmin)
        }.map(\.word).joined(separator: ",")
    }

    private static var ofAdmin: AccessRights { [.read, .write, .invalidate, .metrics] }
}
