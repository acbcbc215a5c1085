import CacheModel

/// When a read began, as far as changes made here are concerned. What it finds may be kept only if
/// none of them touched its key since.
package struct NearTicket: Hashable, Sendable {
    let beganAt: Instant
    let fence: UInt32
    let everything: UInt64
}
