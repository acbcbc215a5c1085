import CacheInvalidation

extension InvalidationLog {
    /// Whether the position of the log may be reported: it is known, and its epoch is stored with
    /// its records. Until the epoch is stored the head is not sent; nodes lose their leases
    /// meanwhile.
    var isStanding: Bool { hasHistory && isBegun }

    var whyNotStanding: String {
        hasHistory
            ? "the publisher cannot put the beginning of its log's epoch on its disk"
            : "the publisher has just started and asks its nodes for its log's position"
    }
}
