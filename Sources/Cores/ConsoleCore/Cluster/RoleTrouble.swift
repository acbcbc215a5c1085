/// Faults of a process that still answers, found in its figures: one sentence each, for `status`,
/// `top` and `doctor`. A process of an older release reports none of these figures.
package enum RoleTrouble {
    private static let publisherSentences: [(figure: String, sentence: String)] = [
        (
            "log_refusing",
            "it refuses every invalidation: its log on disk cannot be written; its log lines say "
                + "why, and it continues by itself once there is space"
        ),
        (
            "config_refused",
            "its configuration file has changes that cannot be taken over while the cluster runs: "
                + "its log says which, and what to do"
        ),
    ]

    private static let etcdSentence =
        "it refuses every invalidation: etcd does not answer it, or refuses what it writes; its "
        + "log lines say why, and it continues by itself once etcd does"

    private static let duplicateName = "duplicate_node:"
    private static let originName = "origin_off:"

    /// Faults of a node.
    ///
    /// - Parameter figures: of all its shards: one of them reports for the node.
    package static func ofNode(_ figures: [[String: UInt64]]) -> [String] {
        let names = Set(figures.flatMap { $0.keys.filter { $0.hasPrefix(originName) } })
        let origins = names.sorted().map {
            "namespace \($0.dropFirst(originName.count)) has no origin: a variable or file that "
                + "it names is missing, or this build has none; the node's log says which"
        }
        let isQueueUnusable = figures.contains { ($0["queue_unusable"] ?? 0) > 0 }
        let queue =
            isQueueUnusable
            ? [
                "its write queue accepts nothing: writes that their origin does not accept at once "
                    + "are refused; free space on its disk, it continues by itself"
            ] : []
        return origins + queue + smallTier(figures)
    }

    /// A disk tier that gave space back, or began with less.
    private static func smallTier(_ figures: [[String: UInt64]]) -> [String] {
        // A shard without an open tier reports neither.
        let tiers = figures.compactMap { shard in
            shard["disk_bytes"].map { (used: $0, most: shard["disk_bytes_max"] ?? $0) }
        }
        let (used, most) = tiers.reduce((0, 0)) { ($0.0 + $1.used, $0.1 + $1.most) }
        guard used < most else { return [] }
        return [
            "its disk tier uses \(FigureWord.size(used)) of \(FigureWord.size(most)): its file "
                + "system is or was short of space (disk-free); free space there, the tier grows "
                + "again as it is written"
        ]
    }

    /// Faults of the publisher.
    package static func ofPublisher(_ figures: [String: UInt64]) -> [String] {
        let duplicates = figures.keys.filter { $0.hasPrefix(duplicateName) }.sorted().map {
            "two processes run as node \($0.dropFirst(duplicateName.count)): both answer requests, "
                + "each from its own memory; stop one of them, or give it an id of its own"
        }
        let isOnEtcd = figures["etcd_members"] != nil
        let own = publisherSentences.filter { (figures[$0.figure] ?? 0) > 0 }.map {
            isOnEtcd && $0.figure == "log_refusing" ? etcdSentence : $0.sentence
        }
        return own + duplicates
    }
}
