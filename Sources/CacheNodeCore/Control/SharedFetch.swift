import CacheModel

/// One thing the publisher shares by version – the configuration, or the topology – and when to
/// ask for it.
struct SharedFetch: Sendable {
    /// The version that is held; `nil` before the first.
    private(set) var held: UInt32?
    private var askedAt: Instant?

    /// The publisher said which version it holds.
    ///
    /// - Returns: whether to ask for it now.
    mutating func heard(version: UInt32, now: Instant) -> Bool {
        guard version != held else { return false }
        if let askedAt, now.elapsed(since: askedAt) < NodeControlLimits.fetchPatience {
            return false
        }
        askedAt = now
        return true
    }

    /// - Returns: whether this version is another than the one that was held.
    mutating func received(version: UInt32) -> Bool {
        askedAt = nil
        guard version != held else { return false }
        held = version
        return true
    }
}
