package import CacheModel

/// What one node says of a key when it is asked to explain it.
package struct NodeAnswer: Hashable, Sendable {
    /// What is there, shown or not.
    package struct Entry: Hashable, Sendable {
        package var version: Version
        /// It was read at or after this position; `nil` if in a log that was left since.
        package var filled: LogPosition?
        package var isUnfenced: Bool
        package var tags: [Tag]
        /// Since it was stored or confirmed.
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

    /// Whether a get would be answered with it, fresh.
    package var isFresh: Bool
    /// In the node's own word: fresh, absent, soft, …
    package var verdict: String
    /// What the shard has obeyed.
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
