/// On what terms an entry that a node loaded may be served.
public struct LoadTerms: Hashable, Sendable {
    /// For how long past its lifetime it may answer while it is loaded anew.
    public var staleWhileRevalidate: Duration
    /// For how long past its lifetime it may answer when the origin does not.
    public var staleIfError: Duration
    /// The origin says that there is no such value.
    public var isNegative: Bool
    /// What the answer said of it, where the origin can be asked about the value; else `nil`.
    public var said: SaidFreshness?

    public init(
        staleWhileRevalidate: Duration = .zero, staleIfError: Duration = .zero,
        isNegative: Bool = false
    ) {
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.isNegative = isNegative
        said = nil
    }

    /// How long past its lifetime it is kept.
    public var longestWindow: Duration { max(staleWhileRevalidate, staleIfError) }

    /// The same with windows of at most `longest`.
    package func limited(to longest: Duration) -> LoadTerms {
        var limited = self
        limited.staleWhileRevalidate = min(staleWhileRevalidate, longest)
        limited.staleIfError = min(staleIfError, longest)
        return limited
    }

    /// The same without windows.
    package var withoutWindows: LoadTerms { limited(to: .zero) }

    /// Whether they say anything: an entry on no terms is over when its lifetime is.
    public var areAny: Bool { isNegative || longestWindow > .zero || said != nil }
}
