import CacheDisk
import CacheMemory
import CacheWire

extension EntryStore {
    /// What the disk tier holds and has done, by name; nothing where none is wanted.
    var diskFigures: [StatusReport.Figure] {
        guard options.hasDisk else { return [] }
        guard let disk else { return [StatusReport.Figure("disk_open", 0)] }
        let (done, judged) = (disk.tier.statistics, disk.admission.statistics)
        let segmentsToRead =
            disk.tier.recoveryProgress.map { max(1, $0.segmentCount - $0.segmentsRead) } ?? 0
        let memoryBytes =
            disk.tier.memoryBytes + disk.floors.memoryBytes + disk.admission.memoryBytes
        return [
            StatusReport.Figure("disk_open", disk.isOpen ? 1 : 0),
            .init("disk_segments_to_read", UInt64(segmentsToRead)),
            .init("disk_bytes_max", UInt64(disk.tier.geometry.fileBytes)),
            .init("disk_bytes", UInt64(disk.tier.roomBytes)),
            .init("disk_entries", UInt64(disk.tier.entryCount)),
            .init("disk_memory_bytes", UInt64(memoryBytes)),
            .init("disk_promoted", disk.statistics.promoted),
            .init("disk_passed_over", disk.statistics.passedOver),
            .init("disk_waits", disk.statistics.waits),
            .init("disk_waits_late", disk.statistics.late),
            .init("disk_deferred", disk.statistics.deferred),
            .init("disk_waiting", UInt64(disk.readers.count)),
            .init("disk_reads", done.reads),
            .init("disk_reads_shed", done.readsShed),
            .init("disk_appended", done.appendedRecords),
            .init("disk_divided", done.dividedStores),
            .init("disk_payload_bytes", done.payloadBytes),
            .init("disk_written_bytes", done.writtenBytes),
            .init("disk_stores_shed", done.storesShed),
            .init("disk_demoted", judged.admitted),
            .init("disk_demoted_clean", judged.clean),
            .init("disk_declined_rare", judged.rare),
            .init("disk_declined_budget", judged.overBudget),
            .init("disk_declined_share", disk.tier.declinedCount),
            .init("disk_tombstones", done.tombstones),
            .init("disk_moved", done.movedRecords),
            .init("disk_reclaimed_segments", done.reclaimedSegments),
            .init("disk_withdrawn_segments", done.withdrawnSegments),
            .init("disk_damaged", done.damagedRecords),
            .init("disk_segments_damaged", disk.statistics.damagedSegments),
            .init("disk_begun_anew", disk.statistics.begunAnew),
        ]
    }

    /// What each namespace with a bound has: of memory first, then of the disk.
    func namespaceFigures(_ namespaces: NamespaceTable) -> [StatusReport.Figure] {
        var figures: [StatusReport.Figure] = []
        for usage in memory.entries.quotaUsage {
            let name = namespaces.name(of: usage.namespace)
            figures.append(.init("namespace_bytes:\(name)", UInt64(usage.weight)))
            figures.append(.init("namespace_evicted:\(name)", usage.evictions))
            figures.append(.init("namespace_entries:\(name)", UInt64(usage.entryCount)))
            guard let entriesMax = usage.entriesMax else { continue }
            figures.append(.init("namespace_entries_max:\(name)", UInt64(entriesMax)))
        }
        guard let disk else { return figures }
        for (number, share) in disk.shares.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let name = namespaces.name(of: number)
            let account = disk.account(of: number)
            let usage = disk.tier.shareUsage(of: account)
            figures += [
                .init("namespace_disk_bytes:\(name)", UInt64(usage.bytes)),
                .init("namespace_disk_bytes_max:\(name)", UInt64(disk.bytesMax(share))),
                .init("namespace_disk_declined:\(name)", usage.declined),
            ]
        }
        return figures
    }
}
