/// All bounds of a near cache, side by side.
///
/// This module keeps the answers of nodes for a moment, and drops entries that the log covers. It
/// is a sans-I/O core: GatewayServer owns the lock and the clock.
///
///     a node's answer ─▶ keep ────┐
///     records of the log ─▶ heard ├─▶ NearCache ─▶ value(for:) ─▶ answer, or ask a node
///     changes made here ─▶ forget ┘
///
/// Decision 67 says which values it may show, and why.
package enum NearLimits {
    /// Longest value that is kept.
    package static let valueBytesMax = 64 << 10
    /// Bytes of an entry beside its key, its value and its tags.
    package static let entryBytes = 256
    /// Overhead of a tag beside its bytes.
    package static let tagBytes = 56
    /// How long a value is used after a node returned it.
    package static let ageStandard: Duration = .seconds(1)
    package static let ageMin: Duration = .milliseconds(10)
    package static let ageMax: Duration = .seconds(60)
    package static let bytesMin = 64 << 10
    package static let bytesMax = 1 << 40
    /// Number of fences. Keys share them: a change of one key discards answers for its neighbours.
    package static let fences = 1_024
    /// Bytes at the end of a key that choose its fence.
    package static let fencedBytes = 64
    /// Places in the order, beyond twice the entries, before the order is rebuilt.
    package static let slack = 1_024

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(ageMin <= ageStandard && ageStandard <= ageMax, "the standard age is legal")
        precondition(bytesMin >= valueBytesMax / 2, "the smallest cache has room for values")
        precondition(fences & (fences - 1) == 0, "a fence is chosen by a mask")
    }
}
