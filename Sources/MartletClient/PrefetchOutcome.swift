/// What became of a key that was loaded ahead of need. Where several nodes were asked, the least
/// of what they said: the last of these cases that any of them answered.
public enum PrefetchOutcome: Int, CaseIterable, Sendable {
    /// It was there, and fresh: nothing was loaded.
    case fresh
    /// The origin says that there is none, or was known to say so. That is kept, too.
    case absent
    /// It was loaded, and is there now.
    case loaded
    /// It was loaded, and is not there: the origin forbids to keep it, an invalidation came in
    /// between, or there was no room.
    case notKept
}
