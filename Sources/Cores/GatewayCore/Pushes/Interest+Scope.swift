package import CacheModel

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
