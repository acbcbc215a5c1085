public import CacheModel

/// What has become of an invalidation of the keys that match a pattern, so far or at its end.
public struct PatternInvalidation: Sendable {
    /// One node, as far as it was scanned.
    public struct Node: Hashable, Sendable {
        public var id: NodeID
        /// Keys that it has listed: those that begin as the pattern does.
        public var listedCount: Int
        /// Those of them that match, and the bytes of their values.
        public var matchedCount: Int
        public var matchedBytes: Int
        /// Whether all of its shards have listed all that they show.
        public var isScanned: Bool
        /// Why it may have keys that were not listed; `nil` if no reason is known.
        public var problem: String?
    }

    public var pattern: KeyGlob
    public var namespace: Namespace
    public var isDryRun: Bool
    public var wait: InvalidationWait
    /// In the order in which they are scanned.
    public var nodes: [Node]
    /// Matching keys of all nodes, each once.
    public var keyCount: Int
    /// Keys of records that are in the log.
    public var invalidatedCount: Int
    /// Whether the counts of keys are exact. Otherwise they are upper bounds: more keys match than
    /// are remembered, and replicas may have listed one several times.
    public var isExact: Bool
    public var recordCount: Int
    /// Keys of a record that was not answered, and may be in the log.
    public var inDoubtCount: Int
    /// Records with a receipt that did not reach what was waited for.
    public var incompleteCount: Int
    /// The nodes that such receipts named, in the order of their names.
    public var pending: [NodeID]
    /// Position of the newest record; `nil` before the first.
    public var position: LogPosition?
    /// Whether the calling task was cancelled before the end.
    public var wasStopped: Bool
    /// Why it ended early; `nil` if it did not.
    public var failure: CacheError?

    /// Whether every node has listed all that it shows, and every record has reached what was
    /// waited for. Keys that no node showed are not covered all the same:
    /// ``CacheClient/invalidate(keysMatching:in:options:onProgress:)`` says which.
    ///
    /// Before the end it is `false`.
    public var isComplete: Bool {
        !wasStopped && failure == nil && incompleteCount == 0
            && nodes.allSatisfy { $0.isScanned && $0.problem == nil }
    }
}

/// How the keys that match a pattern are invalidated.
public struct PatternInvalidationOptions: Hashable, Sendable {
    /// Most keys in a second, 1 to 1 000 000. A record has a quarter of them at most, and 1 000.
    public var keysPerSecond = 10_000
    public var strength = InvalidationRecord.Strength.hard
    /// The nodes that each record waits for.
    public var wait = InvalidationWait.all
    /// How long each record waits for nodes; `nil` is the timeout of the client.
    public var timeout: Duration?
    /// Whether matching keys are only counted.
    public var isDryRun = false

    public init() {}
}
