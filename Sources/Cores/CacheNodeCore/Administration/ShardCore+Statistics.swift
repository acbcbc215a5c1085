import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// The metrics of this shard, by name.
    func figures(now: Instant) -> [StatusReport.Figure] {
        let memory = entries.memory.statistics
        var figures = [
            StatusReport.Figure("shard", UInt64(options.shardIndex.rawValue)),
            .init("lease_left_ms", UInt64(log.standing.leaseLeftMilliseconds(at: now))),
            .init("incarnation", options.incarnation.rawValue),
            .init("memory_bytes_max", UInt64(options.memoryBytes)),
            .init("memory_budget_bytes", UInt64(memory.budgetBytes)),
            .init("memory_bytes", UInt64(memory.residentBytes)),
            .init("memory_hole_bytes", UInt64(memory.holeBytes)),
            .init("memory_index_bytes", UInt64(memory.indexBytes)),
            .init("memory_policy_bytes", UInt64(memory.policyBytes)),
            .init("entries", UInt64(memory.entryCount)),
            .init("namespaces", UInt64(namespaces.count)),
            .init("tags", UInt64(memory.tagCount)),
            .init("prefix_floors", UInt64(memory.prefixFloorCount)),
            .init("key_floors", UInt64(memory.keyFloorCount)),
            .init("waiting", UInt64(waiting.count)),
            .init("uploads", UInt64(uploads.count)),
        ]
        figures += gauges.queueFigures
        if let entriesMax = memory.entriesMax {
            figures.append(.init("entries_max", UInt64(entriesMax)))
        }
        figures += gauges.originFigures
        figures += log.doubts(at: now)
        figures += gauges.descriptorFigures
        figures += statistics.figures(loads.statistics, admission.statistics, writes)
        figures += gauges.warmUpFigures
        figures += entries.diskFigures
        for cause in RemovalCause.allCases {
            figures.append(.init("removed_\(cause)", memory.removals[cause] ?? 0))
        }
        for refusal in StoreRefusal.allCases {
            figures.append(.init("refused_\(refusal)", memory.refusals[refusal] ?? 0))
        }
        return figures + entries.namespaceFigures(namespaces)
    }
}
