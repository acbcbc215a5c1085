import CacheModel

/// Endpoints of the live channel that wait to be bound again.
struct UnboundPlaces {
    var since: Instant
    /// Their indices among the bound endpoints.
    var left: [Int]
    /// Whether the socket to bind is yet to be opened. Until then nothing is sent: subscribers of
    /// the old one may have lost the right to listen.
    var isSocketOwed: Bool
    /// Whether it was logged that this takes long.
    var isSaid = false
}
