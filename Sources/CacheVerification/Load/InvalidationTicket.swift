package import CacheModel

/// An invalidation that was sent, and what a complete receipt for it promises.
package struct InvalidationTicket: Hashable, Sendable {
    package let key: Int
    /// The version that was newest when it was sent.
    package let version: Version
}
