package import CacheModel

/// The outcome of one load, from an origin or a peer.
package enum LoadOutcome: Equatable, Sendable {
    case value([UInt8], LoadedFacts)
    /// The validator still matches: the held value is current.
    case unchanged(LoadedFacts)
    /// The origin says that there is no value.
    case absent(LoadedFacts)
    /// - Parameter retryAfter: when the origin, or the gate in front of it, permits the next
    ///   request.
    case failed(LoadFailure, retryAfter: Duration?)
}
