public import CacheModel

/// What is stored with a value.
public struct StoreOptions: Hashable, Sendable {
    /// When the value ends by itself.
    public enum Lifetime: Hashable, Sendable {
        /// As the namespace says.
        case namespaceDefault
        /// After this long: 1 ms to 36 500 days.
        case after(Duration)
        case never
    }

    public var lifetime = Lifetime.namespaceDefault
    /// Labels to invalidate it by: at most 64.
    public var tags: [Tag] = []
    /// Stored only if it is greater than the resident version; ``CacheModel/Version/none`` gives
    /// none.
    public var version = Version.none
    /// Kept with the entry and handed out again.
    public var etag: Validator?
    /// What the value's bytes are: content type, encoding and language. Kept with the entry and
    /// handed out again; a store without it takes it away.
    public var representation = Representation()
    /// Which request of the outside this is for; `nil`: none.
    public var trace: TraceContext?
    /// How long the call may take; `nil` takes the client's own.
    public var timeout: Duration?

    public init() {}
}
