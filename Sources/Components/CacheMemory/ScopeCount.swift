/// What an invalidation of some scope would hide.
package struct ScopeCount: Equatable, Sendable {
    package var entryCount: Int
    /// What they are charged.
    package var bytes: Int
    /// Nothing is counted that this scope's own invalidations hide already, nor entries of another
    /// scope that is counted together with it.
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

    /// Both, added up; what both cover is counted twice.
    package static func + (lhs: Self, rhs: Self) -> Self {
        Self(
            entryCount: lhs.entryCount + rhs.entryCount, bytes: lhs.bytes + rhs.bytes,
            isExact: lhs.isExact && rhs.isExact)
    }
}
