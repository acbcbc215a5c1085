/// Every bound of a near cache, side by side.
///
/// This module remembers for a moment what nodes have answered, and lets go of what the log covers.
/// It is told what happened and what time it is; GatewayServer owns the lock and the clock.
///
///     a node's answer ─▶ keep ────┐
///     records of the log ─▶ heard ├─▶ NearCache ─▶ value(for:) ─▶ answer, or ask a node
///     changes made here ─▶ forget ┘
///
/// What it may show, and why, is decision 67.
package enum NearLimits {
    /// Longest value that is kept.
    package static let valueBytesMax = 64 << 10
    /// What an entry takes beside its key, its bytes and its tags.
    package static let entryBytes = 256
    /// What a tag takes beside its bytes.
    package static let tagBytes = 56
    /// How long a value is shown after a node told it.
    package static let ageStandard: Duration = .seconds(1)
    package static let ageMin: Duration = .milliseconds(10)
    package static let ageMax: Duration = .seconds(60)
    package static let bytesMin = 64 << 10
    package static let bytesMax = 1 << 40
    /// Keys share so many fences; a change of one holds off answers to reads of its neighbours.
    package static let fences = 1_024
    /// Bytes at the end of a key by which its fence is chosen.
    package static let fencedBytes = 64
    /// Places in the order of what came, beyond twice the entries, before it is made anew.
    package static let slack = 1_024

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(ageMin <= ageStandard && ageStandard <= ageMax, "the standard age is legal")
        precondition(bytesMin >= valueBytesMax / 2, "the smallest cache has room for values")
        precondition(fences & (fences - 1) == 0, "a fence is chosen by a mask")
    }
}
