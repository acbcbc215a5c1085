/// The hit ratio of a figure track: (hits + stale hits) ÷ lookups.
package enum HitShare {
    /// Over the last interval; `nil` without lookups in it.
    package static func recent(_ track: FigureTrack) -> Double? {
        share(track.rate("hits"), track.rate("stale_hits"), track.rate("misses"))
    }

    /// Since the start of the process.
    package static func whole(_ track: FigureTrack) -> Double? {
        let counts = ["hits", "stale_hits", "misses"].map { track.sum($0).map(Double.init) }
        return share(counts[0], counts[1], counts[2])
    }

    package static func share(_ hits: Double?, _ stale: Double?, _ misses: Double?) -> Double? {
        guard let hits, let stale, let misses else { return nil }
        let lookups = hits + stale + misses
        return lookups > 0 ? (hits + stale) / lookups : nil
    }
}
