import CacheModel

/// For how long a loaded value holds.
struct LoadLife: Sendable {
    /// When it is past its lifetime; `nil`: never.
    var freshUntil: Instant?
    /// When it is past its windows as well; `nil`: never.
    var end: Instant?
    var terms: LoadTerms
    /// How old it was when it came.
    var age: Duration
}
