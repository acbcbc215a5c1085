package import CacheModel

/// The keys or tags that a subscriber wants to hear about.
///
/// An interest in keys – one, those of a beginning, those of a namespace – hears of everything
/// that may cover one of them: a tag may be on any key of its namespace. An interest in a tag
/// hears of that tag, its namespace, and everything.
package enum Interest: Hashable, Sendable {
    case everything
    case namespace(Namespace)
    case prefix([UInt8], in: Namespace)
    case key(CacheKey, in: Namespace)
    case tag(Tag, in: Namespace)

    /// Whether a scope says something about it. Parts by hashes count as a whole.
    ///
    /// - Complexity: a comparison of names.
    package func touches(_ scope: Scope) -> Bool {
        switch (self, scope.target) {
        case (.everything, _), (_, .everything): true
        case (.namespace(let own), let target): own == Self.namespace(of: target)
        case (_, .namespace(let other)): namespace == other
        case (.key(let own, let room), .key(let other, let namespace)):
            own == other && room == namespace
        case (.key(let own, let room), .prefix(let bytes, let namespace)):
            room == namespace && own.bytes.starts(with: bytes)
        case (.prefix(let own, let room), .key(let other, let namespace)):
            room == namespace && other.bytes.starts(with: own)
        case (.prefix(let own, let room), .prefix(let other, let namespace)):
            room == namespace && (other.starts(with: own) || own.starts(with: other))
        case (.key(_, let room), .tag(_, let namespace)),
            (.prefix(_, let room), .tag(_, let namespace)):
            room == namespace
        case (.tag(let own, let room), .tag(let other, let namespace)):
            own == other && room == namespace
        case (.tag, .key), (.tag, .prefix): false
        }
    }

    /// `nil`: all of them.
    private var namespace: Namespace? {
        switch self {
        case .everything: nil
        case .namespace(let room), .prefix(_, let room), .key(_, let room), .tag(_, let room):
            room
        }
    }

    private static func namespace(of target: Scope.Target) -> Namespace? {
        switch target {
        case .everything: nil
        case .namespace(let room), .prefix(_, let room), .key(_, let room), .tag(_, let room):
            room
        }
    }
}

extension Interest {
    /// The interest in what is named.
    package init(_ target: Scope.Target) {
        self =
            switch target {
            case .key(let key, let room): .key(key, in: room)
            case .tag(let tag, let room): .tag(tag, in: room)
            case .prefix(let bytes, let room): .prefix(bytes, in: room)
            case .namespace(let room): .namespace(room)
            case .everything: .everything
            }
    }

    /// The scope that covers the same.
    var scope: Scope {
        switch self {
        case .everything: Scope(.everything)
        case .namespace(let room): Scope(.namespace(room))
        case .prefix(let bytes, let room): Scope(.prefix(bytes, in: room))
        case .key(let key, let room): Scope(.key(key, in: room))
        case .tag(let tag, let room): Scope(.tag(tag, in: room))
        }
    }
}
