import CacheModel

/// Places of the live channel that wait to be bound again.
struct UnboundPlaces {
    var since: Instant
    /// Of the endpoints, by their places.
    var left: [Int]
    /// Whether it was said that this takes long.
    var isSaid = false
}
