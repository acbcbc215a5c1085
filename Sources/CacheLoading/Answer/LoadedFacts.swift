package import CacheModel

/// What an origin says of a value beside its bytes.
package struct LoadedFacts: Equatable, Sendable {
    /// For how long it is fresh, from when the answer was whole; `nil`: the answer does not say.
    /// Zero: it has to be asked about before every use.
    package var lifetime: Duration?
    /// How old it was already when the answer was whole.
    package var age = Duration.zero
    /// For how long past its lifetime it may be served while it is loaded anew; `nil`: not said.
    package var staleWhileRevalidate: Duration?
    /// For how long past its lifetime it may be served when the origin fails; `nil`: not said.
    package var staleIfError: Duration?
    /// What it said of these times itself, or the answer did that it confirms.
    package var said = SaidFreshness()
    /// What to ask by whether it has changed: an ETag, or the text of Last-Modified.
    package var validator: Validator?
    package var version = Version.none
    /// What its bytes are. Of what is unchanged, what is said of it anew.
    package var representation = Representation()
    /// In the answer's order, without doubles.
    package var tags: [Tag] = []
    /// Whether it may be kept at all.
    package var mayStore = true
    /// What had been applied where it was loaded, before the origin was asked; `nil`: it was loaded
    /// here. Of a peer's answer the lifetime is what is left of it, and nothing else is to be said.
    package var fill: LogPosition?

    package init() {}
}
