package import CacheModel

/// An answer to a get, with the state at the sending of the get.
package struct JudgedAnswer: Hashable, Sendable {
    /// The claim of the answer.
    package enum Standing: UInt8, CaseIterable, Hashable, Sendable {
        /// The node vouches for it.
        case fresh
        /// Marked as stale, for any reason.
        case stale
        /// Fresh but marked as unfenced: outside of the promises.
        case unfenced
        case miss
    }

    package let key: Int
    package let standing: Standing
    /// ``AnswerOracle/floor(of:)`` at the sending of the get.
    package let floor: Version
    package let askedAt: Instant
    /// The position that the answer reflects; `none` if it was not read.
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
