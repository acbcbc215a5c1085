package import CacheModel

/// An invalidation that was sent, with the version that a complete receipt promises.
package struct InvalidationTicket: Hashable, Sendable {
    package let key: Int
    /// The version that was newest when it was sent.
    package let version: Version
}
