import CacheModel

/// One versioned document of the publisher – the configuration, or the topology – and when to
/// request it.
struct SharedFetch: Sendable {
    /// The current version; `nil` before the first, and if it must be requested again.
    private(set) var held: UInt32?
    /// The last version received; `nil` before the first.
    private(set) var shown: UInt32?
    private var askedAt: Instant?

    /// The publisher reported its version.
    ///
    /// - Returns: whether to request it now.
    mutating func heard(version: UInt32, now: Instant) -> Bool {
        guard version != held else { return false }
        if let askedAt, now.elapsed(since: askedAt) < NodeControlLimits.fetchPatience {
            return false
        }
        askedAt = now
        return true
    }

    /// The request was refused: it is repeated when the version is reported again.
    mutating func refused() { askedAt = nil }

    /// - Returns: whether this version differs from the one held.
    mutating func received(version: UInt32) -> Bool {
        askedAt = nil
        guard version != held else { return false }
        (held, shown) = (version, version)
        return true
    }

    /// The document may be outdated: it is requested again, whatever its version.
    mutating func forget() { (held, askedAt) = (nil, nil) }
}
