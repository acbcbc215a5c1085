public import CacheModel

/// An invalidation that takes its time: the publisher carries it out in slices of the keys, evenly
/// over a span, so that readers do not all go to the origin at once.
public struct PacedInvalidation: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case running
        /// Every slice is in the log.
        case over
        /// Somebody stopped it. What was hidden stays hidden.
        case cancelled
    }

    public var id: PacingID
    public var state: State
    public var scopes: [Scope]
    public var strength: InvalidationRecord.Strength
    /// Whether it goes on after a restart of the publisher.
    public var isDurable: Bool
    /// How long all of it was to take.
    public var span: Duration
    /// Into how many equal parts the keys are cut; from 1.
    public var sliceCount: Int
    /// Parts that are in the log.
    public var doneCount: Int
    /// How long it still takes, if nothing holds it up.
    public var left: Duration
    /// Where its first slice stands in the log; `nil` before there is one.
    public var first: LogPosition?
    /// Where its newest one stands. Once it is ``State/over``, who has applied this position has
    /// obeyed all of it.
    public var last: LogPosition?

    /// How much of the keys is hidden: 0 to 1.
    public var share: Double { Double(doneCount) / Double(sliceCount) }
}
