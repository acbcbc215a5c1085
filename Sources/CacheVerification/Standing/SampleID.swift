/// One invalidation of one key that a ``StandingCheck`` looks after.
package struct SampleID: Hashable, Sendable {
    let rawValue: UInt64
}
