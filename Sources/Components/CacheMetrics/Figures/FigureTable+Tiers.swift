/// Metrics of a shard's tiers.
extension FigureTable {
    static let memory: [FigureRule] = [
        .gauge("entries", "martlet_node_entries", "Entries in memory."),
        .gauge("entries_max", "martlet_node_max_entries", "Entries that memory may have at most."),
        .gauge(
            "memory_bytes", "martlet_node_memory_bytes",
            "Memory in use for entries, with all their bookkeeping."),
        .gauge(
            "memory_bytes_max", "martlet_node_memory_max_bytes", "What entries may take at most."),
        .gauge(
            "memory_budget_bytes", "martlet_node_memory_budget_bytes",
            "What entries may take now; less than the most while memory is short."),
        .gauges(
            "martlet_node_memory_overhead_bytes",
            "Memory in use other than entries, by part.", by: "part",
            [
                "memory_hole_bytes": "holes",
                "memory_index_bytes": "index",
                "memory_policy_bytes": "policy",
            ]),
        .counter(
            "memory_pressure_shrinks", "martlet_node_memory_shrinks",
            "Times the memory budget was lowered."),
        .gauge(
            "namespace_bytes:", "martlet_node_namespace_bytes",
            "What the entries of a namespace with a share of its own take.", tail: "namespace"),
        .counter(
            "namespace_evicted:", "martlet_node_namespace_evictions",
            "Entries evicted of a namespace with a share of its own.", tail: "namespace"),
        .gauge(
            "namespace_entries:", "martlet_node_namespace_entries",
            "Entries in memory of a namespace with a share of its own.", tail: "namespace"),
        .gauge(
            "namespace_entries_max:", "martlet_node_namespace_max_entries",
            "Entries that memory may have of a namespace at most.", tail: "namespace"),
    ]

    static let disk: [FigureRule] = [
        .gauge("disk_open", "martlet_node_disk_open", "1 if the disk tier is open; else 0."),
        .gauge(
            "disk_segments_to_read", "martlet_node_disk_segments_to_read",
            "Above 0 while the tier of an earlier process is read."),
        .gauge("disk_bytes_max", "martlet_node_disk_max_bytes", "Size of the disk tier's file."),
        .gauge(
            "disk_bytes", "martlet_node_disk_bytes",
            "Bytes of the disk tier in use: below its size where its file system is short of "
                + "space."),
        .gauge("disk_entries", "martlet_node_disk_entries", "Entries in the disk tier."),
        .gauge(
            "disk_memory_bytes", "martlet_node_disk_memory_bytes",
            "Memory that the disk tier's index and floors take."),
        .counter(
            "disk_promoted", "martlet_node_disk_promotions",
            "Records of the disk tier that a request read into memory: hits of that tier."),
        .counter(
            "disk_passed_over", "martlet_node_disk_passed_over",
            "Records of the disk tier that were read in vain: expired or invalidated."),
        .counter("disk_waits", "martlet_node_disk_waits", "Messages that waited for the disk."),
        .counter(
            "disk_waits_late", "martlet_node_disk_waits_late",
            "Messages that timed out before the disk answered."),
        .counter(
            "disk_deferred", "martlet_node_disk_deferred",
            "Operations to be retried: their entries left memory too early."),
        .gauge("disk_waiting", "martlet_node_disk_waiting_reads", "Reads that are waited for."),
        .counter("disk_reads", "martlet_node_disk_reads", "Records read."),
        .counter(
            "disk_reads_shed", "martlet_node_disk_reads_shed",
            "Reads that were too many at once, each a miss."),
        .counter("disk_appended", "martlet_node_disk_appended", "Records appended."),
        .counter(
            "disk_divided", "martlet_node_disk_divided", "Entries that were appended in parts."),
        .counter(
            "disk_payload_bytes", "martlet_node_disk_payload_bytes",
            "Keys and values of the records appended."),
        .counter(
            "disk_written_bytes", "martlet_node_disk_written_bytes",
            "Written to the file. Divided by the payload it is what the disk wears by."),
        .counter(
            "disk_stores_shed", "martlet_node_disk_stores_shed",
            "Stores that stay in memory alone, because the disk is slower than they come."),
        .counters(
            "martlet_node_disk_demotions",
            "Entries that memory evicted, by what the disk tier did with them.", by: "verdict",
            [
                "disk_demoted": "admitted",
                "disk_demoted_clean": "clean",
                "disk_declined_rare": "rare",
                "disk_declined_budget": "over_budget",
                "disk_declined_share": "over_share",
            ]),
        .counter("disk_tombstones", "martlet_node_disk_tombstones", "Removals on record."),
        .counter(
            "disk_moved", "martlet_node_disk_moved",
            "Records appended again when their segment was emptied."),
        .counter(
            "disk_reclaimed_segments", "martlet_node_disk_reclaimed_segments", "Segments emptied."),
        .counter(
            "disk_withdrawn_segments", "martlet_node_disk_withdrawn_segments",
            "Segments that gave their space back to the file system."),
        .counter(
            "disk_damaged", "martlet_node_disk_damaged",
            "Records that did not prove themselves, each a miss; 0 is healthy."),
        .gauge(
            "disk_segments_damaged", "martlet_node_disk_segments_damaged",
            "Parts of the disk tier that were damaged when it was read at the start; what lay in "
                + "them and before is gone. 0 is healthy."),
        .gauge(
            "disk_begun_anew", "martlet_node_disk_begun_anew",
            "1 if the disk tier's file was there at the start and nothing of it could be kept: the "
                + "log says why."),
        .gauge(
            "namespace_disk_bytes:", "martlet_node_namespace_disk_bytes",
            "What the records of a namespace with a disk-max take of the disk tier.",
            tail: "namespace"),
        .gauge(
            "namespace_disk_bytes_max:", "martlet_node_namespace_disk_max_bytes",
            "What the records of a namespace with a disk-max may take of the disk tier.",
            tail: "namespace"),
        .counter(
            "namespace_disk_declined:", "martlet_node_namespace_disk_declined",
            "Entries of a namespace that the disk tier declined, because its disk-max was reached.",
            tail: "namespace"),
    ]
}
