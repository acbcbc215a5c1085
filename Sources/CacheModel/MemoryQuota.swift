/// How much of a node's memory one namespace may have, in shares of the whole.
public struct MemoryQuota: Hashable, Sendable {
    /// No bound and no promise.
    public static let standard = MemoryQuota(most: .all, guaranteed: .none)

    /// It never has more than this. Storing more evicts the namespace's own entries.
    public var most: Percent
    /// While it has no more than this, storing in other namespaces evicts none of its entries.
    public var guaranteed: Percent

    public init(most: Percent, guaranteed: Percent) {
        self.most = most
        self.guaranteed = guaranteed
    }
}
