public import CacheModel

/// An invalidation that the publisher carries out in slices of the keys, evenly over a time span.
/// So readers do not all go to the origin at once.
public struct PacedInvalidation: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case running
        /// Every slice is in the log.
        case over
        /// Stopped by request. Keys that were already hidden stay hidden.
        case cancelled
    }

    public var id: PacingID
    public var state: State
    public var scopes: [Scope]
    public var strength: InvalidationRecord.Strength
    /// Whether it continues after a restart of the publisher.
    public var isDurable: Bool
    /// The planned duration of all slices.
    public var span: Duration
    /// Number of equal slices of the keys; from 1.
    public var sliceCount: Int
    /// Slices that are in the log.
    public var doneCount: Int
    /// Time until the last slice, without delays.
    public var left: Duration
    /// Position of its first slice in the log; `nil` before there is one.
    public var first: LogPosition?
    /// Position of its newest slice. In ``State/over``, a node that has applied this position has
    /// applied the whole invalidation.
    public var last: LogPosition?

    /// Share of the keys that is hidden: 0 to 1.
    public var share: Double { Double(doneCount) / Double(sliceCount) }
}
