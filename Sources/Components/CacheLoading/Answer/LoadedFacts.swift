package import CacheModel

/// The metadata that an origin sends with a value.
package struct LoadedFacts: Equatable, Sendable {
    /// How long the value is fresh, from the moment the answer was complete; `nil`: not stated.
    /// Zero: it must be revalidated before every use.
    package var lifetime: Duration?
    /// The age of the value when the answer was complete.
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
    /// Whether it may be stored at all.
    package var mayStore = true
    /// The position applied where it was loaded, before the origin was asked; `nil`: it was loaded
    /// here. In a peer's answer the lifetime is the remaining lifetime, and nothing else is stated.
    package var fill: LogPosition?

    package init() {}
}
