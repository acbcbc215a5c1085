import CacheModel

/// Records that were written by a later release. The shards obey them as "everything may have
/// changed"; here it is said, so that somebody upgrades this node.
extension NodeControlCore {
    /// Tells at once of the first, and then at most once in
    /// ``NodeControlLimits/newerFormReportSpacing``.
    mutating func noteNewerForms(
        _ records: [SealedRecord], now: Instant, into actions: inout [NodeControlAction]
    ) {
        // The report that tells their members may not have come yet, or be of before.
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
    /// Such a record says nothing else.
    fileprivate var isAboutMembers: Bool {
        record.scopes.count == 1 && record.scopes[0].membership != nil
    }
}
