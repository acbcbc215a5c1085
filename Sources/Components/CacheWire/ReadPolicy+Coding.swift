package import CacheModel

extension ReadPolicy {
    /// Its number on the wire.
    package var number: UInt8 {
        switch self {
        case .cacheFirst: 1
        case .cacheOnly: 2
        case .networkFirst: 3
        case .networkOnly: 4
        case .staleWhileRevalidate: 5
        }
    }

    /// - Returns: `nil` if this version does not know the number.
    package init?(number: UInt8) {
        guard let policy = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = policy
    }
}
