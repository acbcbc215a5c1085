import CacheModel

/// The lifetime of a loaded value.
struct LoadLife: Sendable {
    /// When it is past its lifetime; `nil`: never.
    var freshUntil: Instant?
    /// When it is past its windows as well; `nil`: never.
    var end: Instant?
    var terms: LoadTerms
    /// Its age on arrival.
    var age: Duration

    /// The same until `latest` at most, and without a window after that.
    func cut(to latest: Instant) -> LoadLife {
        var life = self
        life.freshUntil = min(freshUntil ?? latest, latest)
        life.end = life.freshUntil
        life.terms = terms.withoutWindows
        return life
    }
}
