import CacheModel

/// One thing the publisher shares by version – the configuration, or the topology – and when to
/// ask for it.
struct SharedFetch: Sendable {
    /// The version that is held; `nil` before the first, and where it has to be asked for anew.
    private(set) var held: UInt32?
    /// The version that was held last; `nil` before the first.
    private(set) var shown: UInt32?
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

    /// It was asked for and is not told yet: it is asked for again once its version is heard.
    mutating func refused() { askedAt = nil }

    /// - Returns: whether this version is another than the one that was held.
    mutating func received(version: UInt32) -> Bool {
        askedAt = nil
        guard version != held else { return false }
        (held, shown) = (version, version)
        return true
    }

    /// What is held may be of another time: it is asked for anew, whatever its version.
    mutating func forget() { (held, askedAt) = (nil, nil) }
}
