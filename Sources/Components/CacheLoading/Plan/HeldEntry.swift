package import CacheModel

/// The entry that a shard holds for a key and could serve, as far as it affects a reader's answer.
package struct HeldEntry: Equatable, Sendable {
    package enum Standing: Equatable, Sendable {
        /// Inside its lifetime.
        case fresh
        /// Past its lifetime, for this long.
        case past(Duration)
        /// Softly invalidated, this long ago.
        case soft(Duration)
    }

    package var standing: Standing
    /// Time since it was stored or last validated.
    package var age: Duration
    /// Its own windows; none unless a node loaded it.
    package var terms: LoadTerms

    package init(_ standing: Standing, age: Duration, terms: LoadTerms = LoadTerms()) {
        self.standing = standing
        self.age = age
        self.terms = terms
    }
}
