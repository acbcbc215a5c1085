/// The freshness fields of a stored answer that a later 304 may leave unchanged: each field of the
/// 304 replaces the stored one, and a field that it does not have stays (RFC 9111, 3.2 and 4.3.4).
public struct SaidFreshness: Hashable, Sendable {
    public enum Lifetime: Hashable, Sendable {
        /// Cache-Control: seconds from the creation of the answer. Zero: it must be revalidated
        /// before every use.
        case seconds(UInt32)
        /// Expires: until that moment, in seconds since 1970.
        case expires(UInt32)
    }

    /// `nil`: not stated, and the namespace decides.
    public var lifetime: Lifetime?
    /// Whether the window during a refresh is the answer's own, not the namespace's.
    public var hasWhileRevalidate = false
    /// The same for the window when the origin fails.
    public var hasIfError = false

    public init() {}
}
