/// The coverage of an invalidation.
///
/// Key, tag and prefix are inside one namespace. A scope may be limited to the keys with a route
/// hash in a range, so that a large invalidation can be paced.
public struct Scope: Hashable, Sendable {
    /// The covered name. The raw values of the wire are in docs/protocol.md.
    public enum Target: Hashable, Sendable {
        case key(CacheKey, in: Namespace)
        case tag(Tag, in: Namespace)
        /// Every key that begins with these bytes: 1 to 4 096 of them.
        case prefix([UInt8], in: Namespace)
        case namespace(Namespace)
        case everything
    }

    public var target: Target
    /// Versions at or above it are not covered. Only for keys.
    public var minimumVersion: Version?
    /// Covers only keys with a route hash in the range; `nil` covers all.
    public var hashRange: ClosedRange<UInt64>?
    /// Covers only keys with another owner under these members than under those before.
    /// Only for *everything*, in records of the publisher.
    package var membership: Membership?

    public init(
        _ target: Target, minimumVersion: Version? = nil, hashRange: ClosedRange<UInt64>? = nil
    ) {
        self.target = target
        self.minimumVersion = minimumVersion
        self.hashRange = hashRange
    }

    /// A change of the members of a sharded cluster: every key that changes its owner.
    package init(_ membership: Membership) {
        self.init(.everything)
        self.membership = membership
    }

    /// Whether the scope is valid: a minimum version belongs to keys, a hash range to everything
    /// else, members to *everything*, and a prefix has 1 to 4 096 bytes.
    public var isMeaningful: Bool {
        guard membership == nil || target == .everything && hashRange == nil else { return false }
        return switch target {
        case .key: hashRange == nil
        case .prefix(let bytes, _):
            minimumVersion == nil && (1...CacheKey.bytesMax).contains(bytes.count)
        case .tag, .namespace, .everything: minimumVersion == nil
        }
    }
}

extension Scope: CustomStringConvertible {
    /// As text: `tag news`, `key a in images`, `everything`.
    public var description: String {
        switch target {
        case .key(let key, let namespace): "key \(key)\(Self.room(namespace))"
        case .tag(let tag, let namespace): "tag \(tag)\(Self.room(namespace))"
        case .prefix(let bytes, let namespace):
            "prefix \(String(decoding: bytes, as: UTF8.self))\(Self.room(namespace))"
        case .namespace(let namespace): "namespace \(namespace)"
        case .everything: membership.map(Self.text) ?? "everything"
        }
    }

    private static func text(_ membership: Membership) -> String {
        let names = membership.members?.map(\.node.name).joined(separator: ", ") ?? "others"
        return "keys that move, members \(names)\(membership.isSettled ? "" : " (moving)")"
    }

    private static func room(_ namespace: Namespace) -> String {
        namespace == .default ? "" : " in \(namespace)"
    }
}
