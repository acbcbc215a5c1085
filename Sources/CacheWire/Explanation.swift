package import CacheModel

/// EXPLANATION: what a shard knows of one key, for people who ask why.
///
/// It tells what is there also where it would not be shown, which no GET does.
public struct Explanation: Hashable, Sendable {
    /// What a GET would come to. The numbers are on the wire.
    public enum Verdict: UInt8, CaseIterable, Sendable {
        case fresh = 0
        case absent = 1
        case expired = 2
        /// A hard invalidation covers it; its memory is given back when it is next met.
        case invalidated = 3
        /// A soft invalidation covers it: served as stale to who allows that, for the window.
        case soft = 4
        /// What happened since it was filled is not known: hidden until the origin confirms it.
        case withheld = 5
        /// The same, and nobody can be asked: it leaves when it is next met.
        case forgotten = 6
        /// The node has no lease, and the namespace says `serve`, `refuse` or `revalidate`.
        case suspectServed = 7
        case suspectRefused = 8
        case suspectHidden = 9
    }

    /// What is there.
    public struct Entry: Hashable, Sendable {
        package var valueBytes: UInt32 = 0
        /// What it takes of the memory, with everything around it.
        package var chargedBytes: UInt32 = 0
        package var version = Version.none
        package var ageMilliseconds: UInt64 = 0
        /// `nil` never expires.
        package var ttlMilliseconds: UInt64?
        /// How long it has been stale; `nil` if no soft invalidation covers it.
        package var softMilliseconds: UInt64?
        /// The position it is known to have been read at or after; `none` of a log that was left.
        package var fill = LogPosition.none
        package var isUnfenced = false
        package var etag: Validator?
        package var tags: [Tag] = []
        package var representation = Representation()

        package init() {}
    }

    /// A scope that covers the key, and how far it was invalidated.
    public struct Floor: Hashable, Sendable {
        public enum Cover: UInt8, CaseIterable, Sendable {
            case key = 1
            case tag = 2
            case prefix = 3
            case namespace = 4
            case everything = 5
            /// Not an invalidation: before this place the history is not known.
            case history = 255
        }

        package var cover: Cover
        package var name: [UInt8] = []
        /// Whether it is what hides the entry, or makes it stale.
        package var isAboveEntry = false
        /// `none` where it has not risen, or in a log that was left.
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
    /// How long somebody else still has the right to load the key; 0 if nobody has.
    package var loadLeftMilliseconds: UInt32 = 0
    /// Tokens from before it are refused.
    package var tokenBase = LogPosition.none
    package var entry: Entry?
    package var floors: [Floor] = []

    package init(_ verdict: Verdict, _ state: NodeState, applied: LogPosition) {
        self.verdict = verdict
        self.state = state
        self.applied = applied
    }
}
