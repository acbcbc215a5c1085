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

    /// The same until `latest` at most, and with no window after that.
    func cut(to latest: Instant) -> LoadLife {
        var life = self
        life.freshUntil = min(freshUntil ?? latest, latest)
        life.end = life.freshUntil
        life.terms = terms.withoutWindows
        return life
    }
}
