package import CacheModel

/// What a load takes before the origin is asked.
package struct LoadToken: Equatable, Sendable {
    /// What was applied then.
    package var position: LogPosition
    /// Of the load lease.
    package var nonce: UInt64

    package init(position: LogPosition, nonce: UInt64) {
        self.position = position
        self.nonce = nonce
    }
}
