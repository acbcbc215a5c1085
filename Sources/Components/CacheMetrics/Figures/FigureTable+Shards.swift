extension FigureTable {
    /// Figures of a node's shards.
    package static let shards = FigureTable(
        standing + requests + stores + loads + invalidations + memory + disk)

    private static let standing: [FigureRule] = [
        .elsewhere("shard", "a label"),
        .elsewhere("incarnation", "a label of martlet_node_info"),
        .elsewhere("standing_reason", "martlet_node_not_live"),
        .elsewhere("replay_left", "martlet_node_lag_records"),
        .elsewhere("descriptors", "process_open_fds"),
        .elsewhere("descriptors_max", "process_max_fds"),
        .processGauge(
            "lease_left_ms", "martlet_node_lease_seconds",
            "For how long entries may still be called fresh; 0 without a lease.",
            divisor: 1_000),
        .processGauge(
            "state_ms", "martlet_node_not_live_seconds",
            "For how long the node has been in a state that is not live; absent if it is live.",
            divisor: 1_000),
        .processGauge(
            "control_silence_ms", "martlet_node_control_silence_seconds",
            "Since the publisher's last answer; absent if the node is live or none ever came.",
            divisor: 1_000),
        .processGauge(
            "heartbeat_silence_ms", "martlet_node_heartbeat_silence_seconds",
            "Since the publisher's last heartbeat; absent if the node is live or none ever came.",
            divisor: 1_000),
    ]

    private static let requests: [FigureRule] = [
        .counter("messages", "martlet_node_messages", "Messages taken, refused ones included."),
        .counter("gets", "martlet_node_gets", "Keys asked for."),
        .counters(
            "martlet_node_lookups", "Keys looked up, by what came of it.", by: "result",
            ["hits": "hit", "stale_hits": "stale_hit", "misses": "miss"]),
        .counter(
            "behind", "martlet_node_behind",
            "Operations refused because the node had not applied what they ask for."),
        .counter(
            "head_waits", "martlet_node_head_waits",
            "Strong reads: messages that waited for the publisher's head."),
        .counter("busy", "martlet_node_busy", "Messages refused because a bound was reached."),
        .counter(
            "moved", "martlet_node_moved",
            "Messages refused because another shard owns their keys, or will in a moment."),
        .counter(
            "refused_messages", "martlet_node_refused_messages",
            "Whole messages refused: garbage, other versions, limits, rights."),
        .counter(
            "denied_messages", "martlet_node_denied_messages",
            "Messages refused because their sender had no right to ask."),
        .counter(
            "refused_namespaces", "martlet_node_refused_namespaces",
            "Messages refused because the node has as many namespaces as it may."),
        .counter(
            "over_budget", "martlet_node_over_budget_messages",
            "Messages refused because their sender's key has asked as much as it may."),
        .counter(
            "refused_silently", "martlet_node_silently_refused_messages",
            "Messages refused without an answer: their sender's key was refused too often."),
        .gauge(
            "waiting", "martlet_node_waiting_requests",
            "Requests set aside for a position, the publisher, the disk or a load."),
        .gauge("uploads", "martlet_node_uploads", "Large values that are being sent in chunks."),
    ]

    private static let stores: [FigureRule] = [
        .counter("sets", "martlet_node_sets", "Stores asked for."),
        .counter("stored", "martlet_node_stored", "Stores admitted."),
        .counter("removes", "martlet_node_removes", "Keys deleted through this node."),
        .counter("touches", "martlet_node_touches", "Keys touched."),
        .counter(
            "refused_", "martlet_node_refused_stores",
            "Stores that memory refused, by reason.", tail: "reason"),
        .counter("tokens", "martlet_node_fill_tokens", "Misses that were given a fill token."),
        .counter(
            "token_waits", "martlet_node_fill_token_waits",
            "Misses that were told to wait for a load under way."),
        .counter("writes", "martlet_node_origin_writes", "Operations to be sent to origins."),
        .counter(
            "writes_queued", "martlet_node_origin_writes_queued",
            "Operations for origins that were answered as queued."),
        .gauge(
            "writes_waiting", "martlet_node_queued_writes",
            "Writes for origins that wait in the node's queue."),
        .gauge(
            "writes_rejected", "martlet_node_rejected_writes",
            "Writes in the node's queue that their origin has refused for good."),
        .gauge(
            "queue_unusable", "martlet_node_queue_unusable",
            "1: the node's write queue takes nothing, as where its disk is full; 0 is healthy."),
        .gauge(
            "origin_off:", "martlet_node_origin_off",
            "1: the namespace has an origin that is switched off, because a variable or file "
                + "that it names is missing. Absent is healthy.", tail: "namespace"),
    ]

    private static let loads: [FigureRule] = [
        .counter("loads", "martlet_node_loads", "Loads of origins that began."),
        .counter(
            "load_refreshes", "martlet_node_load_refreshes",
            "Loads without a waiting request: behind an answer."),
        .counter("loads_failed", "martlet_node_load_failures", "Loads that failed."),
        .counter(
            "loads_overtaken", "martlet_node_loads_overtaken",
            "Loads that an invalidation overtook."),
        .counter(
            "loads_joined", "martlet_node_loads_coalesced",
            "Readers that shared a load under way."),
        .counter("load_waits", "martlet_node_load_waits", "Messages that waited for loads."),
        .counters(
            "martlet_node_loaded_answers", "Answers that took an origin, by kind.", by: "kind",
            [
                "loaded_hits": "value",
                "negative_hits": "absent",
                "stale_for_origin": "stale",
                "reads_failed": "failure",
            ]),
        .counter("prefetches", "martlet_node_prefetches", "Keys asked for ahead of need."),
        .counter(
            "prefetches_fresh", "martlet_node_prefetches_fresh",
            "Keys asked for ahead of need that were there, fresh."),
        .processGauge(
            "warm_up_phase", "martlet_node_warm_up_phase",
            "1 asks a replica, 2 copies, 3 done, 4 stopped, 5 waits for a replica."),
        .processGauge(
            "warm_up_keys", "martlet_node_warm_up_keys",
            "Keys of the replica that the node is filled from."),
        .processGauge(
            "warm_up_done", "martlet_node_warm_up_loaded_keys",
            "Those of them that are here."),
        .processGauge(
            "warm_up_failed", "martlet_node_warm_up_failed_keys",
            "Keys that a replica listed and that were not copied."),
        .processGauge(
            "warm_up_replicas", "martlet_node_warm_up_replicas",
            "Replicas that were asked for all that they hold."),
        .processGauge(
            "warm_up_copied", "martlet_node_warm_up_copied_keys",
            "Keys copied from replicas since the start."),
        .processGauge(
            "warm_up_copied_bytes", "martlet_node_warm_up_copied_bytes",
            "Bytes of the values copied from replicas since the start."),
        .counter("copies", "martlet_node_copies", "Entries copied from other nodes."),
        .counter("copies_given", "martlet_node_copies_given", "Entries given to other nodes."),
    ]

    private static let invalidations: [FigureRule] = [
        .counter("applied_records", "martlet_node_applied_records", "Records of the log applied."),
        .counter(
            "forgotten", "martlet_node_forgettings",
            "Times everything was hidden because its history was unknown; 1 after a start."),
        .counter(
            "newer_records", "martlet_node_newer_records",
            "Records of a form that this release cannot read; not 0: upgrade the node."),
        .counter(
            "renewed", "martlet_node_renewals",
            "Entries that hold again because their origin said so."),
        .gauges(
            "martlet_node_floors", "Floors that stand, by kind of scope.", by: "kind",
            ["prefix_floors": "prefix", "key_floors": "key"]),
        .gauge(
            "namespaces", "martlet_node_namespaces",
            "Namespaces that a shard knows, of 1024 at most."),
        .gauge("tags", "martlet_node_tags", "Distinct tags with a floor or an entry."),
        .counter(
            "removed_", "martlet_node_removed_entries",
            "Entries that left memory, by cause.", tail: "cause"),
    ]
}
