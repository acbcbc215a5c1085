package import CacheModel

/// One node's explanation of a key.
package struct NodeAnswer: Hashable, Sendable {
    /// The entry in the cache, shown or not.
    package struct Entry: Hashable, Sendable {
        package var version: Version
        /// The origin was read at or after this position; `nil` if it is in a log that was left
        /// since.
        package var filled: LogPosition?
        package var isUnfenced: Bool
        package var tags: [Tag]
        /// Time since it was stored or confirmed.
        package var age: Duration

        package init(
            version: Version, filled: LogPosition?, isUnfenced: Bool, tags: [Tag], age: Duration
        ) {
            self.version = version
            self.filled = filled
            self.isUnfenced = isUnfenced
            self.tags = tags
            self.age = age
        }
    }

    /// Whether a get would return it as fresh.
    package var isFresh: Bool
    /// The node's own verdict: fresh, absent, soft, …
    package var verdict: String
    /// The position that the shard has applied.
    package var applied: LogPosition
    package var entry: Entry?
    /// Whether its answers count: it owns the key, or every node may hold it.
    package var isInCharge: Bool

    package init(
        isFresh: Bool, verdict: String, applied: LogPosition, entry: Entry?,
        isInCharge: Bool = true
    ) {
        self.isFresh = isFresh
        self.verdict = verdict
        self.applied = applied
        self.entry = entry
        self.isInCharge = isInCharge
    }
}
