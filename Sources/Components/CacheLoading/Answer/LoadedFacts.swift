package import CacheModel

/// The metadata that an origin sends with a value.
package struct LoadedFacts: Equatable, Sendable {
    /// How long the value is fresh, from the moment the answer was complete; `nil`: not stated.
    /// Zero: it must be revalidated before every use.
    package var lifetime: Duration?
    package var age = Duration.zero
    /// How long after its lifetime it may be served while it is refreshed; `nil`: not stated.
    package var staleWhileRevalidate: Duration?
    /// How long after its lifetime it may be served when the origin fails; `nil`: not stated.
    package var staleIfError: Duration?
    /// The times as the answer stated them, or the answer that it confirms.
    package var said = SaidFreshness()
    /// The validator for revalidation: an ETag, or the text of Last-Modified.
    package var validator: Validator?
    package var version = Version.none
    /// The representation of its bytes. Of an unchanged value, only the fields that were sent
    /// again.
    package var representation = Representation()
    /// In the order of the answer, without duplicates.
    package var tags: [Tag] = []
    package var mayStore = true
    /// The position applied where it was loaded, before the origin was asked; `nil`: it was loaded
    /// here. In a peer's answer the lifetime is the remaining lifetime, and nothing else is stated.
    package var fill: LogPosition?

    package init() {}
}

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
