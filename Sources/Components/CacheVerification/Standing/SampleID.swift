/// One invalidation of one key that a ``StandingCheck`` watches.
package struct SampleID: Hashable, Sendable {
    let rawValue: UInt64
}
