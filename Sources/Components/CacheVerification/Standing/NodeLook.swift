package import CacheModel

/// A question to every node.
package struct NodeLook: Hashable, Sendable {
    package let sample: SampleID
    package let key: WatchedKey
    /// Position of the invalidation.
    package let position: LogPosition
    /// Index of the delay in the plan.
    package let delayIndex: Int
    /// Whether it repeats a look with doubtful answers.
    package var isSecond = false
}
