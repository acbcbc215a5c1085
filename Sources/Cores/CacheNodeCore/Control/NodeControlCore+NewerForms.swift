import CacheModel

/// Records written by a later release. The shards apply them as "everything may have changed"; this
/// reports them, so that the operator upgrades the node.
extension NodeControlCore {
    /// Reports the first at once, and then at most one per
    /// ``NodeControlLimits/newerFormReportSpacing``.
    mutating func noteNewerForms(
        _ records: [SealedRecord], now: Instant, into actions: inout [NodeControlAction]
    ) {
        // The report of the new members may not have arrived, or may be from before.
        if records.contains(where: \.isAboutMembers) { topology.forget() }
        guard let last = records.last(where: \.record.isOfNewerForm) else { return }
        let count = records.count { $0.record.isOfNewerForm }
        statistics.newerRecords += count
        // It may be about the members.
        topology.forget()
        newerFormsUntold += count
        if let told = newerFormsToldAt,
            now.elapsed(since: told) < NodeControlLimits.newerFormReportSpacing
        {
            return
        }
        actions.append(
            .report(.newerForm(position: last.position, recordCount: newerFormsUntold)))
        newerFormsToldAt = now
        newerFormsUntold = 0
    }
}

extension SealedRecord {
    /// Such a record contains nothing else.
    fileprivate var isAboutMembers: Bool {
        record.scopes.count == 1 && record.scopes[0].membership != nil
    }
}
