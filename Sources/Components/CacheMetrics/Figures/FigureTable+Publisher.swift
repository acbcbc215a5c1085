extension FigureTable {
    /// Figures of a publisher, and of its log.
    package static let publisher = FigureTable(taken + appended + told + kept + served + shared)

    private static let taken: [FigureRule] = [
        .counter("messages", "martlet_publisher_messages", "Messages taken."),
        .counter(
            "refused", "martlet_publisher_refused_messages",
            "Messages refused as a whole, whatever the reason."),
        .counter("busy", "martlet_publisher_busy", "Messages refused because a bound was reached."),
        .counter(
            "denied", "martlet_publisher_denied_messages",
            "Messages refused because their sender had no right to ask."),
        .counter(
            "over_budget", "martlet_publisher_over_budget_messages",
            "Messages refused because their sender's key has asked as much as it may."),
        .counter(
            "refused_silently", "martlet_publisher_silently_refused_messages",
            "Messages refused without an answer: their sender's key was refused too often."),
        .counter(
            "replies_dropped", "martlet_publisher_dropped_replies",
            "Replies that their peer was too slow for, or gone before."),
        .elsewhere("descriptors", "process_open_fds"),
        .elsewhere("descriptors_max", "process_max_fds"),
    ]

    private static let appended: [FigureRule] = [
        .counter("records", "martlet_publisher_records", "Records appended to the log."),
        .counter("scopes", "martlet_publisher_scopes", "Scopes of the records appended."),
        .counter("record_bytes", "martlet_publisher_record_bytes", "Encoded records appended."),
        .counter(
            "appends", "martlet_publisher_appends",
            "Batches appended. Records divided by them is how many share one."),
        .counter(
            "appends_refused", "martlet_publisher_append_failures",
            "Batches that the log refused; nothing was invalidated by them. 0 is healthy."),
        .counter(
            "repetitions", "martlet_publisher_repetitions",
            "Invalidations answered with the position of an earlier one."),
        .counter(
            "echoes", "martlet_publisher_echoes",
            "Scopes invalidated once more after the replica lag of their namespace."),
        .counter("slices", "martlet_publisher_pacing_slices", "Slices of paced invalidations."),
        .gauge("pacings", "martlet_publisher_pacings", "Paced invalidations that run."),
        .counter(
            "histories_continued", "martlet_publisher_histories_continued",
            "Times the log went on from where a node stood."),
        .counter(
            "epochs_opened", "martlet_publisher_epochs_opened",
            "Epochs opened because the log had lost what a node had applied. 0 is healthy."),
    ]

    private static let told: [FigureRule] = [
        .counters(
            "martlet_publisher_receipts", "Receipts sent, by outcome.", by: "outcome",
            ["receipts_complete": "complete", "receipts_incomplete": "incomplete"]),
        .counter(
            "receipts_asked", "martlet_publisher_receipt_questions",
            "Requests for the receipt of a record that is already in the log."),
        .gauge("receipts_waiting", "martlet_publisher_waiting_receipts", "Receipts waited for."),
        .counter("heartbeats", "martlet_publisher_heartbeats", "Heartbeats sent."),
        .counter("replays", "martlet_publisher_replays", "Replays sent."),
        .counter(
            "replayed_records", "martlet_publisher_replayed_records", "Records sent by replays."),
        .counter(
            "truncations", "martlet_publisher_truncations",
            "Requests for records that are no longer kept."),
        .counter(
            "follow_answers", "martlet_publisher_follow_answers",
            "Replies to clients that follow their visible part of the log."),
        .counter(
            "followed_records", "martlet_publisher_followed_records",
            "Records in replies to clients that follow their visible part."),
        .gauge(
            "follows_waiting", "martlet_publisher_waiting_follows",
            "Followers that wait for a record that they may see."),
        .counter(
            "floor_parts", "martlet_publisher_floor_parts",
            "Parts of what was touched, told to nodes that had slept."),
        .counter(
            "floor_entries", "martlet_publisher_floor_entries",
            "Names told to nodes that had slept."),
        .counter(
            "acknowledgements", "martlet_publisher_acknowledgements",
            "Reports of known nodes how far they have applied the log."),
        .counters(
            "martlet_publisher_leases", "Requests for a lease, by outcome.", by: "outcome",
            ["leases_granted": "granted", "leases_withheld": "withheld"]),
        .counter(
            "grants_expired", "martlet_publisher_grants_expired",
            "Grants that ran out: a node was silent for a lease."),
        .counter(
            "runs_removed_", "martlet_publisher_removed_runs",
            "Runs of nodes that are not known any more, by cause.", tail: "cause"),
    ]

    private static let kept: [FigureRule] = [
        .gauge("log_tail", "martlet_publisher_log_tail_sequence", "Oldest number in the log."),
        .gauge("log_segments", "martlet_publisher_log_segments", "Files of the log on disk."),
        .gauge("log_bytes", "martlet_publisher_log_bytes", "Size of the log on disk."),
        .gauge(
            "log_proven_bytes", "martlet_publisher_log_proven_bytes",
            "Of the log on disk, what was written or checked since the start."),
        .gauge(
            "log_oldest_created", "martlet_publisher_log_oldest_timestamp_seconds",
            "When the oldest file of the log was begun, since 1970; 0 if there is none."),
        .gauge(
            "log_synchronized", "martlet_publisher_log_synchronized_sequence",
            "Newest number that survives losing power."),
        .counter(
            "log_synchronizations", "martlet_publisher_log_synchronizations",
            "Times the disk was waited for."),
        .gauge(
            "log_last_sync_microseconds", "martlet_publisher_log_last_synchronization_seconds",
            "How long the disk was waited for last.", divisor: 1_000_000),
        .counter(
            "log_segments_damaged", "martlet_publisher_log_segments_damaged",
            "Files of the log that were found damaged after the start. 0 is healthy."),
        .gauge(
            "floors_complete_since", "martlet_publisher_floors_complete_since_sequence",
            "From this number on the publisher knows all that was touched."),
    ]

    private static let served: [FigureRule] = [
        .gauge(
            "members_settled", "martlet_publisher_members_settled",
            "1: every key is answered for. 0: keys that change owner wait for nodes."),
        .gauge(
            "slots:", "martlet_publisher_slots",
            "With topology: slots, how many of the 16384 slots the node owns.", tail: "node"),
        .gauge(
            "slots_waiting", "martlet_publisher_slots_waiting",
            "Slots that changed owner and are not answered for yet: until every node knows it, or "
                + "has no lease."),
        .gauge(
            "topology_version", "martlet_publisher_topology_version", "Of what it tells clients."),
        .gauge(
            "config_revision", "martlet_publisher_configuration_revision",
            "Identifies the configuration: another number is another configuration."),
        .gauge(
            "log_refusing", "martlet_publisher_log_refusing",
            "1: invalidations are refused, because the log on disk cannot be written; 0 is "
                + "healthy."),
        .gauge(
            "duplicate_node:", "martlet_publisher_duplicate_node",
            "1: two processes run under this node's id. Absent is healthy.", tail: "node"),
        .gauge(
            "config_refused", "martlet_publisher_configuration_refused_changes",
            "Changes of the configuration file that cannot be taken over while the cluster runs."),
    ]

    /// Of a log that several publishers can lead.
    private static let shared: [FigureRule] = [
        .gauge("leading", "martlet_publisher_leading", "1 if the publisher leads; else 0."),
        .gauge(
            "log_bytes_kept", "martlet_publisher_shared_log_bytes",
            "Bytes of the records that the log in etcd keeps."),
        .gauge(
            "etcd_members", "martlet_publisher_etcd_members",
            "Members of etcd in the configuration."),
        .gauge(
            "etcd_members_answering", "martlet_publisher_etcd_answering_members",
            "Members of etcd that answer and have a leader."),
        .gauge(
            "etcd_bytes", "martlet_publisher_etcd_database_bytes",
            "Bytes of the largest database of a member. etcd refuses writes at its quota, by "
                + "default 2 GiB."),
        .gauge(
            "etcd_trouble", "martlet_publisher_etcd_trouble",
            "1 while etcd does not answer, or a member reports an alarm; else 0."),
        .gauge(
            "etcd_refusing", "martlet_publisher_etcd_refusing",
            "1 while etcd does not answer this publisher, or refuses what it asks; else 0."),
        .gauge(
            "etcd_member_condition:", "martlet_publisher_etcd_member_condition",
            "Of a member of etcd: 0 healthy, 1 does not answer, 2 has no leader, 3 NOSPACE, "
                + "4 CORRUPT, 5 reports another error.", tail: "member"),
        .gauge(
            "etcd_member_leads:", "martlet_publisher_etcd_member_leads",
            "1 if the member is etcd's own leader; else 0.", tail: "member"),
        .gauge(
            "etcd_member_bytes:", "martlet_publisher_etcd_member_database_bytes",
            "Bytes of the member's database; 0 if it does not answer.", tail: "member"),
        .gauge(
            "term_ms", "martlet_publisher_term_seconds",
            "For how long this publisher has known the term of the one that leads; absent while "
                + "none leads.", divisor: 1_000),
        .elsewhere("term", "STATUS alone: a random number is no measurement"),
        .unexported(beginning: "publisher:"),
    ]
}
