import CacheModel

/// Cache-Status (RFC 9211): what this cache did for an answer.
package enum CacheStatus {
    static let name = "Martlet"
    package static let miss = "\(name); fwd=miss"

    /// Of a value that was found: `hit` from a tier, with the seconds it has left; or loaded from
    /// the origin because it was not there.
    package static func text(of value: FoundValue) -> String {
        guard value.tier != .origin else { return "\(miss); detail=origin" }
        var text = "\(name); hit"
        if value.isStale {
            text += "; ttl=0"
        } else if let left = value.timeToLive {
            text += "; ttl=\(left.wholeMilliseconds / 1_000)"
        }
        let isSoft = value.isStale && value.isSoftInvalidated
        let why = isSoft ? "soft-invalidated" : value.isStale ? "stale" : value.tier.rawValue
        return text + "; detail=\(why)"
    }
}
