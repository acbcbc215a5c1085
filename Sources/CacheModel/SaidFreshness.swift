/// What a stored answer itself said of its freshness, as far as a later 304 may leave it as it is:
/// of each field the 304's replaces the stored one, and a field that it has not stays (RFC 9111,
/// 3.2 and 4.3.4).
public struct SaidFreshness: Hashable, Sendable {
    public enum Lifetime: Hashable, Sendable {
        /// Cache-Control: so many seconds from when the answer was made. Zero: it has to be asked
        /// about before every use.
        case seconds(UInt32)
        /// Expires: until that moment, in seconds since 1970.
        case expires(UInt32)
    }

    /// `nil`: it said nothing of it, and the namespace decides.
    public var lifetime: Lifetime?
    /// Whether the window while the value is loaded anew is the answer's own, not the namespace's.
    public var hasWhileRevalidate = false
    /// The same of the window for when the origin does not answer.
    public var hasIfError = false

    public init() {}
}
