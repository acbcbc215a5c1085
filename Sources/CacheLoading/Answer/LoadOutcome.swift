package import CacheModel

/// What came of one load, whoever made it.
package enum LoadOutcome: Equatable, Sendable {
    case value([UInt8], LoadedFacts)
    /// The value that was asked about is still the one.
    case unchanged(LoadedFacts)
    /// There is no such value, says the origin.
    case absent(LoadedFacts)
    /// - Parameter retryAfter: when the origin, or who guards it, wants to be asked again.
    case failed(LoadFailure, retryAfter: Duration?)
}
