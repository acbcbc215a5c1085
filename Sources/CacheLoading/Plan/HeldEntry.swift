package import CacheModel

/// What a shard holds of a key and could show, as far as it decides what a reader gets.
package struct HeldEntry: Equatable, Sendable {
    package enum Standing: Equatable, Sendable {
        /// Inside its lifetime.
        case fresh
        /// Past its lifetime, for so long.
        case past(Duration)
        /// Softly invalidated, so long ago.
        case soft(Duration)
    }

    package var standing: Standing
    /// Since it was stored or last validated.
    package var age: Duration
    /// Its own windows; none unless a node loaded it.
    package var terms: LoadTerms

    package init(_ standing: Standing, age: Duration, terms: LoadTerms = LoadTerms()) {
        self.standing = standing
        self.age = age
        self.terms = terms
    }
}
