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
        figures += doubts(at: now)
        figures += gauges.descriptorFigures
        figures += counters
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

    /// Why the node is not live, and since when; empty for a live node. The end of a lease is not
    /// explained before the control thread explains it.
    private func doubts(at now: Instant) -> [StatusReport.Figure] {
        guard let doubt = log.standing.doubt else { return [] }
        let (head, applied) = (log.standing.head, log.applied.position)
        var figures = [
            StatusReport.Figure("standing_reason", UInt64(doubt.reason.rawValue)),
            .init("state_ms", now.millisecondsSince(doubt.since)),
        ]
        if head.epoch == applied.epoch, head >= applied {
            let left = head.sequence.rawValue - applied.sequence.rawValue
            figures.append(.init("replay_left", left))
        }
        if let answeredAt = doubt.answeredAt {
            figures.append(.init("control_silence_ms", now.millisecondsSince(answeredAt)))
        }
        if let heartbeatAt = doubt.heartbeatAt {
            figures.append(.init("heartbeat_silence_ms", now.millisecondsSince(heartbeatAt)))
        }
        return figures
    }

    private var counters: [StatusReport.Figure] {
        [
            .init("messages", statistics.messages),
            .init("gets", statistics.reads.gets),
            .init("hits", statistics.reads.hits),
            .init("stale_hits", statistics.reads.staleHits),
            .init("misses", statistics.reads.misses),
            .init("behind", statistics.reads.behind),
            .init("sets", statistics.sets),
            .init("stored", statistics.stored),
            .init("renewed", statistics.renewed),
            .init("removes", statistics.removes),
            .init("writes", writes.count),
            .init("writes_queued", writes.queuedCount),
            .init("touches", statistics.touches),
            .init("tokens", statistics.reads.tokens),
            .init("token_waits", statistics.reads.tokenWaits),
            .init("head_waits", statistics.headWaits),
            .init("loads", loads.statistics.begun),
            .init("load_refreshes", loads.statistics.refreshes),
            .init("loads_failed", loads.statistics.failed),
            .init("loads_overtaken", loads.statistics.overtaken),
            .init("loads_joined", loads.statistics.joined),
            .init("load_waits", loads.statistics.waits),
            .init("loaded_hits", statistics.reads.loadedHits),
            .init("negative_hits", statistics.reads.negativeHits),
            .init("stale_for_origin", statistics.reads.fallbacks),
            .init("reads_failed", statistics.reads.failedReads),
            .init("prefetches", statistics.reads.prefetches),
            .init("prefetches_fresh", statistics.reads.prefetchesFresh),
            .init("copies", statistics.copies),
            .init("copies_given", statistics.copiesGiven),
            .init("busy", statistics.busy + admission.statistics.overBudget),
            .init(
                "refused_messages",
                statistics.refusedMessages + admission.statistics.refusedSilently),
            .init("denied_messages", admission.statistics.denied),
            .init("refused_namespaces", statistics.refusedNamespaces),
            .init("over_budget", admission.statistics.overBudget),
            .init("refused_silently", admission.statistics.refusedSilently),
            .init("applied_records", statistics.appliedRecords),
            .init("forgotten", statistics.forgotten),
            .init("newer_records", statistics.newerRecords),
            .init("memory_pressure_shrinks", statistics.memoryShrinks),
        ]
    }
}
