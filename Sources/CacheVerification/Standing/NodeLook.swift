package import CacheModel

/// A question to put to every node.
package struct NodeLook: Hashable, Sendable {
    package let sample: SampleID
    package let key: WatchedKey
    /// Of the invalidation.
    package let position: LogPosition
    /// Which of the plan's delays has passed.
    package let delayIndex: Int
    /// Whether nodes were asked a moment ago and their answers left a doubt.
    package var isSecond = false
}
