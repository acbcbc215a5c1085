import CacheModel

/// Endpoints of the live channel that wait to be bound again.
struct UnboundPlaces {
    var since: Instant
    /// Their indices among the bound endpoints.
    var left: [Int]
    /// Whether it was logged that this takes long.
    var isSaid = false
}
