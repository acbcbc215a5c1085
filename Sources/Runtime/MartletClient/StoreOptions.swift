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
    /// `Version.none` sets none.
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

/// One of several values that are stored in one call.
public struct StoreItem: Sendable {
    public var key: CacheKey
    public var value: [UInt8]
    public var options: StoreOptions

    public init(_ key: CacheKey, _ value: [UInt8], options: StoreOptions = StoreOptions()) {
        self.key = key
        self.value = value
        self.options = options
    }
}

/// The outcome of a store that was admitted.
public struct StoreResult: Hashable, Sendable {
    /// The position of the store in the log.
    public var position: LogPosition
    /// Whether it is fenced: stored with the token of a load lease.
    public var isFenced: Bool
    /// Whether the namespace's origin does not accept the write now. The node has it in its durable
    /// queue and sends it to the origin later.
    public var isQueued = false
    /// The node that stored it; in a replicated topology, the first.
    public var node: NodeID?
    /// All nodes that stored it within the timeout.
    public var storedOn: [NodeID]
}
