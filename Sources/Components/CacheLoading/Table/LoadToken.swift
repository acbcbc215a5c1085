package import CacheModel

/// The position and nonce recorded before the origin is asked.
package struct LoadToken: Equatable, Sendable {
    /// The position applied then.
    package var position: LogPosition
    /// Of the load lease.
    package var nonce: UInt64

    package init(position: LogPosition, nonce: UInt64) {
        self.position = position
        self.nonce = nonce
    }
}
