/// On what terms an entry that a node loaded may be served.
public struct LoadTerms: Hashable, Sendable {
    /// For how long past its lifetime it may answer while it is loaded anew.
    public var staleWhileRevalidate: Duration
    /// For how long past its lifetime it may answer when the origin does not.
    public var staleIfError: Duration
    /// The origin says that there is no such value.
    public var isNegative: Bool

    public init(
        staleWhileRevalidate: Duration = .zero, staleIfError: Duration = .zero,
        isNegative: Bool = false
    ) {
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.isNegative = isNegative
    }

    /// How long past its lifetime it is kept.
    public var longestWindow: Duration { max(staleWhileRevalidate, staleIfError) }

    /// The same with windows of at most `longest`.
    package func limited(to longest: Duration) -> LoadTerms {
        LoadTerms(
            staleWhileRevalidate: min(staleWhileRevalidate, longest),
            staleIfError: min(staleIfError, longest), isNegative: isNegative)
    }

    /// Whether they say anything: an entry on no terms is over when its lifetime is.
    public var areAny: Bool { isNegative || longestWindow > .zero }
}
