public import ByteCoding
package import CacheModel

/// One line of the list: the holder of a key, and the holder's rights.
public struct AccessEntry: Hashable, Sendable {
    /// For people, logs and, of a node, the node's id. Several entries may have one name.
    public let name: String
    public let key: PublicKey
    public let rights: AccessRights
    public let patterns: [KeyPattern]
    /// Seconds since 1970 from which on it does not hold; `nil`: it holds for ever.
    public let endsAt: Int?
    /// The holder's rate limits.
    public let allowance: Allowance
    /// Whether some pattern is about everything, so that nothing has to be looked at.
    private let isUnbounded: Bool

    init(
        _ holder: (name: String, key: PublicKey), _ rights: AccessRights,
        _ patterns: [KeyPattern], until endsAt: Int?, _ allowance: Allowance
    ) {
        (name, key) = holder
        self.rights = rights
        self.patterns = patterns
        self.endsAt = endsAt
        self.allowance = allowance
        isUnbounded = patterns.contains(.everything)
    }

    /// Whether a holder can have this name.
    public static func isName(_ text: String) -> Bool { AccessName.isName(text[...]) }

    /// Whether it still holds.
    public func isInForce(at secondsSince1970: Int) -> Bool {
        endsAt.map { secondsSince1970 < $0 } ?? true
    }

    /// What the holder may do with everything there is.
    var rightsEverywhere: AccessRights { isUnbounded ? rights : [] }

    /// Whether the holder has one of `wanted` for everything there is.
    public func mayEverywhere(_ wanted: AccessRights) -> Bool {
        isUnbounded && !rights.isDisjoint(with: wanted)
    }

    /// Whether the holder is that node.
    package func speaks(for node: NodeID) -> Bool {
        rights.contains(.node) && name == node.name
    }

    /// Whether the holder may see every record of the log as it is.
    public var mayFollowLog: Bool {
        !rights.isDisjoint(with: [.node, .relay]) || mayEverywhere(.read)
    }

    /// Whether the holder has one of `wanted` for every key of a namespace.
    ///
    /// - Complexity: a comparison of names for each pattern; none where one is `*`.
    public func may(_ wanted: AccessRights, inAllOf namespace: some Collection<UInt8>) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return isUnbounded || patterns.contains { $0.coversAll(of: namespace) }
    }

    /// Whether the holder has one of `wanted` for every key that begins with these bytes.
    public func may(
        _ wanted: AccessRights, keysBeginning bytes: some Collection<UInt8>,
        in namespace: some Collection<UInt8>
    ) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return isUnbounded
            || patterns.contains { $0.covers(keysBeginning: bytes, in: namespace) }
    }

    /// Whether the holder has one of `wanted` for all that a scope covers. A tag is on keys of any
    /// beginning, and a part of a namespace by hashes has keys of any beginning, too: both need
    /// the namespace.
    package func may(_ wanted: AccessRights, with scope: Scope) -> Bool {
        switch scope.target {
        case .key(let key, let namespace):
            may(wanted, keysBeginning: key.bytes, in: namespace.name.utf8)
        case .prefix(let bytes, let namespace):
            may(wanted, keysBeginning: bytes, in: namespace.name.utf8)
        case .tag(_, let namespace), .namespace(let namespace):
            may(wanted, inAllOf: namespace.name.utf8)
        case .everything: mayEverywhere(wanted)
        }
    }
}

/// The same checks on bytes in place, as a message has them. They run for each message, and for
/// each of its keys if the holder may see a part only. Nothing is copied, and generic code is
/// specialized for these bytes here, as another module could not do.
extension AccessEntry {
    /// Whether the holder has one of `wanted` for every key of a namespace.
    package func may(
        _ wanted: AccessRights, inAllOf namespace: UnsafeRawBufferPointer
    ) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return patterns.contains { $0.coversAll(of: namespace) }
    }

    /// Whether the holder has one of `wanted` for every key that begins with these bytes.
    package func may(
        _ wanted: AccessRights, keysBeginning bytes: UnsafeRawBufferPointer,
        in namespace: UnsafeRawBufferPointer
    ) -> Bool {
        guard !rights.isDisjoint(with: wanted) else { return false }
        return patterns.contains { $0.covers(keysBeginning: bytes, in: namespace) }
    }
}

extension AccessEntry {
    /// The entry of a holder that is admitted without a line of the list, with the same words.
    ///
    /// - Parameters:
    ///   - name: for logs; an invalid name is replaced by `somebody`.
    ///   - roles: as the list has them between commas. `node` and `relay` are for processes.
    ///   - patterns: the same; none is nothing.
    /// - Throws: the first word that is wrong.
    package init(
        called name: String, _ key: PublicKey, roles: [String], patterns: [String],
        until endsAt: Int
    ) throws(AccessListProblem.Reason) {
        var rights: AccessRights = []
        for role in roles {
            guard let known = AccessRights(role: role), known.isDisjoint(with: [.node, .relay])
            else {
                throw .role(AccessName.shown(role[...]))
            }
            rights.formUnion(known)
        }
        guard !rights.isEmpty else { throw .noRole }
        var reaches: [KeyPattern] = []
        for pattern in patterns { reaches.append(try KeyPattern(pattern[...])) }
        self.init(
            (Self.isName(name) ? name : "somebody", key), rights, reaches, until: endsAt,
            .unlimited)
    }
}

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
