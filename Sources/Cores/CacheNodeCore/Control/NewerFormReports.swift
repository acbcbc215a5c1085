import CacheModel

/// Records written by a later release. The shards apply them as "everything may have changed"; they
/// are reported, so that the operator upgrades the node: the first at once, and then at most one
/// report per ``NodeControlLimits/newerFormReportSpacing``.
struct NewerFormReports: Sendable {
    private var reportedAt: Instant?
    private var unreportedCount = 0

    /// - Returns: the number of records to report now.
    mutating func add(_ count: Int, now: Instant) -> Int? {
        unreportedCount += count
        if let reportedAt,
            now.elapsed(since: reportedAt) < NodeControlLimits.newerFormReportSpacing
        {
            return nil
        }
        defer { unreportedCount = 0 }
        reportedAt = now
        return unreportedCount
    }
}

extension SealedRecord {
    /// A record of members, or of slots, contains nothing else.
    var mayBeAboutOwners: Bool {
        record.isOfNewerForm || record.slots != nil
            || record.scopes.count == 1 && record.scopes[0].membership != nil
    }
}
