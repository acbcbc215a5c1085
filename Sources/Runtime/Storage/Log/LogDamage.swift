package import CacheInvalidation

/// A segment that was found damaged after the start. It and everything before it left the log.
package struct LogDamage: Equatable, Sendable, CustomStringConvertible {
    package let name: SegmentName
    let reason: String

    package var description: String { "\(name): \(reason)" }
}
