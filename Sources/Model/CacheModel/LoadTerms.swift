/// The terms on which an entry loaded by a node may be served.
public struct LoadTerms: Hashable, Sendable {
    /// How long past its lifetime it may be served while it is refreshed.
    public var staleWhileRevalidate: Duration
    /// How long past its lifetime it may be served when the origin fails.
    public var staleIfError: Duration
    /// The origin says that there is no such value.
    public var isNegative: Bool
    /// The freshness fields of the answer, if the origin can be asked about the value; otherwise
    /// `nil`.
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

    /// Whether they have any effect: an entry without terms ends with its lifetime.
    public var areAny: Bool { isNegative || longestWindow > .zero || said != nil }
}
