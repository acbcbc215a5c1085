package import CacheModel

/// EXPLANATION: a shard's state of one key, for debugging.
///
/// It also describes an entry that would not be served, which no GET does.
public struct Explanation: Hashable, Sendable {
    /// The result that a GET would have. The numbers are on the wire.
    public enum Verdict: UInt8, CaseIterable, Sendable {
        case fresh = 0
        case absent = 1
        case expired = 2
        /// A hard invalidation covers it; its memory is freed on the next access.
        case invalidated = 3
        /// A soft invalidation covers it: served as stale to readers that allow it, within the
        /// window.
        case soft = 4
        /// The invalidations since its fill are unknown: hidden until the origin confirms it.
        case withheld = 5
        /// The same, and there is no origin to ask: removed on the next access.
        case forgotten = 6
        /// The node has no lease, and the namespace says `serve`, `refuse` or `revalidate`.
        case suspectServed = 7
        case suspectRefused = 8
        case suspectHidden = 9
    }

    public struct Entry: Hashable, Sendable {
        package var valueBytes: UInt32 = 0
        /// Its size in memory, including all overhead.
        package var chargedBytes: UInt32 = 0
        package var version = Version.none
        package var ageMilliseconds: UInt64 = 0
        /// `nil` never expires.
        package var ttlMilliseconds: UInt64?
        /// How long it has been stale; `nil` if no soft invalidation covers it.
        package var softMilliseconds: UInt64?
        /// The position at or after which it is known to have been read; `none` of an earlier log.
        package var fill = LogPosition.none
        package var isUnfenced = false
        package var etag: Validator?
        package var tags: [Tag] = []
        package var representation = Representation()

        package init() {}
    }

    /// A scope that covers the key, and the position up to which it was invalidated.
    public struct Floor: Hashable, Sendable {
        public enum Cover: UInt8, CaseIterable, Sendable {
            case key = 1
            case tag = 2
            case prefix = 3
            case namespace = 4
            case everything = 5
            /// Not an invalidation: the history before this position is unknown.
            case history = 255
        }

        package var cover: Cover
        package var name: [UInt8] = []
        /// Whether it hides the entry, or makes it stale.
        package var isAboveEntry = false
        /// `none` if it has not risen, or in an earlier log.
        package var hard = LogPosition.none
        package var soft = LogPosition.none
        package var minimumVersion = Version.none

        package init(_ cover: Cover, named name: [UInt8] = []) {
            self.cover = cover
            self.name = name
        }
    }

    package var verdict: Verdict
    package var state: NodeState
    package var applied: LogPosition
    /// Milliseconds for which entries may still be called fresh; 0 without a lease.
    package var leaseLeftMilliseconds: UInt32 = 0
    /// How long another caller still has the right to load the key; 0 if none has.
    package var loadLeftMilliseconds: UInt32 = 0
    /// Tokens from before this position are refused.
    package var tokenBase = LogPosition.none
    package var entry: Entry?
    package var floors: [Floor] = []

    package init(_ verdict: Verdict, _ state: NodeState, applied: LogPosition) {
        self.verdict = verdict
        self.state = state
        self.applied = applied
    }
}
