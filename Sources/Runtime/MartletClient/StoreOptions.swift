public import CacheModel

/// What to store with a value.
public struct StoreOptions: Hashable, Sendable {
    /// When the value expires.
    public enum Lifetime: Hashable, Sendable {
        /// By the policy of the namespace.
        case namespaceDefault
        /// After this long: 1 ms to 36 500 days.
        case after(Duration)
        case never
    }

    public var lifetime = Lifetime.namespaceDefault
    /// Tags to invalidate it by: at most 64.
    public var tags: [Tag] = []
    /// The value is stored only if its version is greater than the resident one.
    /// ``CacheModel/Version/none`` sets none.
    public var version = Version.none
    /// Kept with the entry and returned with it.
    public var etag: Validator?
    /// What the value's bytes are: content type, encoding and language. Kept with the entry and
    /// returned with it. A store without it removes it.
    public var representation = Representation()
    /// The external request that this is for; `nil`: none.
    public var trace: TraceContext?
    /// Timeout of the call; `nil` is the timeout of the client.
    public var timeout: Duration?

    public init() {}
}
