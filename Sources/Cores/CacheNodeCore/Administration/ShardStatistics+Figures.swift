import CacheLoading
import CacheModel
import CacheWire

extension ShardStatistics {
    /// The counters, by name.
    func figures(
        _ loads: LoadStatistics, _ admission: ShardAdmission.Statistics, _ writes: WriteCoordinator
    ) -> [StatusReport.Figure] {
        [
            .init("messages", messages),
            .init("gets", reads.gets),
            .init("hits", reads.hits),
            .init("stale_hits", reads.staleHits),
            .init("misses", reads.misses),
            .init("behind", reads.behind),
            .init("sets", sets),
            .init("stored", stored),
            .init("renewed", renewed),
            .init("removes", removes),
            .init("writes", writes.count),
            .init("writes_queued", writes.queuedCount),
            .init("touches", touches),
            .init("tokens", reads.tokens),
            .init("token_waits", reads.tokenWaits),
            .init("head_waits", headWaits),
            .init("loads", loads.begun),
            .init("load_refreshes", loads.refreshes),
            .init("loads_failed", loads.failed),
            .init("loads_overtaken", loads.overtaken),
            .init("loads_joined", loads.joined),
            .init("load_waits", loads.waits),
            .init("loaded_hits", reads.loadedHits),
            .init("negative_hits", reads.negativeHits),
            .init("stale_for_origin", reads.fallbacks),
            .init("reads_failed", reads.failedReads),
            .init("prefetches", reads.prefetches),
            .init("prefetches_fresh", reads.prefetchesFresh),
            .init("copies", copies),
            .init("copies_given", copiesGiven),
            .init("busy", busy + admission.overBudget),
            .init("moved", moved),
            .init(
                "refused_messages",
                refusedMessages + admission.refusedSilently),
            .init("denied_messages", admission.denied),
            .init("refused_namespaces", refusedNamespaces),
            .init("over_budget", admission.overBudget),
            .init("refused_silently", admission.refusedSilently),
            .init("applied_records", appliedRecords),
            .init("forgotten", forgotten),
            .init("newer_records", newerRecords),
            .init("memory_pressure_shrinks", memoryShrinks),
        ]
    }
}

extension LogFollower {
    /// Why the node is not live, and since when; empty for a live node. The end of a lease is not
    /// explained before the control thread explains it.
    func doubts(at now: Instant) -> [StatusReport.Figure] {
        guard let doubt = standing.doubt else { return [] }
        let (head, applied) = (standing.head, applied.position)
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
}
