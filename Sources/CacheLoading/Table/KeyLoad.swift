package import CacheModel

/// One load of one key that is under way.
package struct KeyLoad: Equatable, Sendable {
    /// By which it is known outside; never used twice by one shard.
    package var number: UInt64
    package var key: LoadKey
    /// What was applied before the origin was asked.
    package var position: LogPosition
    /// Of the load lease that it holds.
    package var nonce: UInt64
    /// What it asks about; `nil`: the value itself is wanted.
    package var validator: Validator?
    package var begunAt: Instant
    /// Who waits for it; nobody for one behind an answer.
    package internal(set) var readers: [LoadReader]
}
