/// How new what a load brings has to be. An origin's answer is new enough for everybody who asked
/// after the load began; a peer gives what it holds, unless it is told that this will not do.
package enum LoadFreshness: Equatable, Sendable {
    /// Whatever is fresh where it is held.
    case any
    /// Fresh, and no older than that.
    case noOlder(than: Duration)
    /// Loaded for this question.
    case new

    /// What will do for all of them.
    package static func forAll(_ all: some Sequence<LoadFreshness>) -> LoadFreshness {
        all.reduce(.any) { $0.suffices(for: $1) ? $0 : $1 }
    }

    /// Whether what was asked for like this will do for who needs `other`.
    package func suffices(for other: LoadFreshness) -> Bool {
        switch (self, other) {
        case (_, .any), (.new, _): true
        case (.noOlder(let own), .noOlder(let needed)): own <= needed
        case (.any, _), (.noOlder, .new): false
        }
    }
}
