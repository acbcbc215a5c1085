package import CacheModel

/// An answer to a get, and what was known when the get was sent.
package struct JudgedAnswer: Hashable, Sendable {
    /// What the answer says of itself.
    package enum Standing: UInt8, CaseIterable, Hashable, Sendable {
        /// The node vouches for it.
        case fresh
        /// Marked as stale, for whatever reason.
        case stale
        /// A fresh one that is marked as unfenced: outside of the promises.
        case unfenced
        case miss
    }

    package let key: Int
    package let standing: Standing
    /// ``AnswerOracle/floor(of:)`` of when the get was sent.
    package let floor: Version
    package let askedAt: Instant
    /// What the answer reflects; `none` if that was not looked at.
    package let position: LogPosition

    package init(
        key: Int, standing: Standing, floor: Version, askedAt: Instant,
        position: LogPosition = .none
    ) {
        self.key = key
        self.standing = standing
        self.floor = floor
        self.askedAt = askedAt
        self.position = position
    }
}
