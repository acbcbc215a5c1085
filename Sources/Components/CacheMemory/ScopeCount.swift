/// The entries that an invalidation of some scope would hide.
package struct ScopeCount: Equatable, Sendable {
    package var entryCount: Int
    /// Bytes charged for them.
    package var bytes: Int
    /// Whether it excludes all entries hidden already by this scope's own invalidations, and all of
    /// other scopes that are counted together with it.
    package var isExact: Bool

    package init(entryCount: Int = 0, bytes: Int = 0, isExact: Bool = true) {
        self.entryCount = entryCount
        self.bytes = bytes
        self.isExact = isExact
    }

    init(_ tally: ScopeTally, under hard: FillStamp) {
        self.init(
            entryCount: tally.entryCount, bytes: tally.bytes, isExact: tally.isExact(under: hard))
    }

    /// The sum; entries covered by both are counted twice.
    package static func + (lhs: Self, rhs: Self) -> Self {
        Self(
            entryCount: lhs.entryCount + rhs.entryCount, bytes: lhs.bytes + rhs.bytes,
            isExact: lhs.isExact && rhs.isExact)
    }
}
