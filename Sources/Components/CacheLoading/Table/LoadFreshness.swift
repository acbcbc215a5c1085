/// The required freshness of a load's result. An origin's answer is new enough for every reader
/// that asked after the load began; a peer returns the value it holds, unless the request demands
/// more.
package enum LoadFreshness: Equatable, Sendable {
    /// Any value that is fresh where it is held.
    case any
    /// Fresh, and not older than that.
    case noOlder(than: Duration)
    /// Loaded for this request.
    case new

    /// The freshness that satisfies all of them.
    package static func forAll(_ all: some Sequence<LoadFreshness>) -> LoadFreshness {
        all.reduce(.any) { $0.suffices(for: $1) ? $0 : $1 }
    }

    /// Whether a result with this freshness satisfies a request for `other`.
    package func suffices(for other: LoadFreshness) -> Bool {
        switch (self, other) {
        case (_, .any), (.new, _): true
        case (.noOlder(let own), .noOlder(let needed)): own <= needed
        case (.any, _), (.noOlder, .new): false
        }
    }
}
