/// Counters of events: a simulation in which nothing went wrong has shown nothing.
package struct SimulationTally: Sendable {
    package internal(set) var events = 0
    package internal(set) var strongReads = 0
    package internal(set) var diskFaults = 0
    package internal(set) var refusedAppends = 0
    package internal(set) var hits = 0
    package internal(set) var staleAnswers = 0
    package internal(set) var behindAnswers = 0
    package internal(set) var tokens = 0
    package internal(set) var stored = 0
    package internal(set) var invalidatedMeanwhile = 0
    package internal(set) var leasesVoid = 0
    package internal(set) var olderVersions = 0
    package internal(set) var lapsed = 0
    /// Answers with entries that a floor snapshot spared, and renewals.
    package internal(set) var sparedAnswers = 0
    package internal(set) var renewals = 0
    package internal(set) var laggingReads = 0
    package internal(set) var echoes = 0
    package internal(set) var records = 0
    package internal(set) var lostRecords = 0
    package internal(set) var completeReceipts = 0
    package internal(set) var incompleteReceipts = 0
    package internal(set) var receiptsWithExpired = 0
    package internal(set) var forgettings = 0
    package internal(set) var floorSnapshots = 0
    package internal(set) var suspicions = 0
    package internal(set) var gaps = 0
    package internal(set) var divergences = 0
    package internal(set) var epochs = 0
    package internal(set) var truncations = 0
    package internal(set) var overflows = 0
    package internal(set) var drops = 0
    package internal(set) var faults = 0
    package internal(set) var publisherStarts = 0
    package internal(set) var nodeStarts = 0
    /// Runs that learned which run had the last lease before them.
    package internal(set) var livesTold = 0
    /// Seeds with disk tiers, and the outcomes of those tiers.
    package internal(set) var tierSeeds = 0
    package internal(set) var tiersBegun = 0
    package internal(set) var tiersRecovered = 0
    package internal(set) var tierResumptions = 0
    package internal(set) var tiersRefused = 0
    package internal(set) var tiersDiscarded = 0
    package internal(set) var tiersLost = 0
    package internal(set) var tiersEnded = 0
    package internal(set) var tierFaults = 0
    /// Tiers that gave space back, and those that had all of it again.
    package internal(set) var tiersResized = 0
    package internal(set) var powerLosses = 0
    package internal(set) var tierReads = 0
    /// Answers with entries that an earlier run stored.
    package internal(set) var inheritedAnswers = 0
    /// Seeds with nodes that load values themselves, and the outcomes of loads and waits.
    package internal(set) var originSeeds = 0
    package internal(set) var originFaults = 0
    package internal(set) var loads = 0
    package internal(set) var joinedLoads = 0
    package internal(set) var refreshes = 0
    package internal(set) var loadsKept = 0
    package internal(set) var loadsConfirmed = 0
    /// Loads that an invalidation overtook, and answers that report it.
    package internal(set) var overtakenLoads = 0
    package internal(set) var overtakenAnswers = 0
    /// 304 responses for entries that were invalidated meanwhile.
    package internal(set) var lateConfirmations = 0
    package internal(set) var failedLoads = 0
    /// Ends of loads that were no longer known.
    package internal(set) var strayEnds = 0
    package internal(set) var loadedAnswers = 0
    /// Answers that a load has just confirmed, without lifetime left or softly invalidated since.
    package internal(set) var confirmedAnswers = 0
    package internal(set) var negativeAnswers = 0
    /// Stale answers past a lifetime, within the promised window.
    package internal(set) var windowAnswers = 0
    package internal(set) var failedReads = 0
    /// Stale values in place of a load, without a lease.
    package internal(set) var toleratedAnswers = 0
    /// Seeds with clients that prefetch, and the answers: loaded and kept, present already, loaded
    /// and not kept.
    package internal(set) var prefetchSeeds = 0
    /// Seeds with nodes that copy entries from each other, and how many were stored.
    package internal(set) var copySeeds = 0
    package internal(set) var copies = 0
    package internal(set) var prefetched = 0
    package internal(set) var prefetchesSpared = 0
    package internal(set) var prefetchesNotKept = 0
    /// Seeds in which nodes leave the configuration and come back, how often they do, and requests
    /// to a shard that does not own the key.
    package internal(set) var memberSeeds = 0
    /// Seeds in which the publisher finds another lease at each start.
    package internal(set) var leaseSeeds = 0
    package internal(set) var memberChanges = 0
    package internal(set) var busyAnswers = 0

    package init() {}

    private static var paths: [(name: String, path: WritableKeyPath<Self, Int>)] {
        [
            ("events", \.events), ("hits", \.hits), ("stale", \.staleAnswers),
            ("behind", \.behindAnswers), ("tokens", \.tokens), ("stored", \.stored),
            ("invalidated meanwhile", \.invalidatedMeanwhile), ("leases void", \.leasesVoid),
            ("older versions", \.olderVersions), ("lapsed answers", \.lapsed),
            ("records", \.records), ("lost records", \.lostRecords),
            ("complete receipts", \.completeReceipts),
            ("incomplete receipts", \.incompleteReceipts),
            ("receipts with expired", \.receiptsWithExpired), ("forgettings", \.forgettings),
            ("floor snapshots", \.floorSnapshots), ("suspicions", \.suspicions), ("gaps", \.gaps),
            ("divergences", \.divergences),
            ("epochs", \.epochs), ("truncations", \.truncations), ("overflows", \.overflows),
            ("drops", \.drops), ("faults", \.faults), ("publisher starts", \.publisherStarts),
            ("node starts", \.nodeStarts), ("disk faults", \.diskFaults),
            ("refused appends", \.refusedAppends),
            ("strong reads", \.strongReads), ("renewals", \.renewals),
            ("spared answers", \.sparedAnswers),
            ("lagging reads", \.laggingReads), ("echoes", \.echoes), ("lives told", \.livesTold),
            ("disk seeds", \.tierSeeds), ("disks begun", \.tiersBegun),
            ("disks recovered", \.tiersRecovered), ("disk resumptions", \.tierResumptions),
            ("disks refused", \.tiersRefused), ("disks discarded", \.tiersDiscarded),
            ("disks lost", \.tiersLost), ("disks ended", \.tiersEnded),
            ("disk tier faults", \.tierFaults),
            ("disk tiers resized", \.tiersResized), ("power losses", \.powerLosses),
            ("disk reads", \.tierReads), ("inherited answers", \.inheritedAnswers),
            ("origin seeds", \.originSeeds), ("origin faults", \.originFaults),
            ("loads", \.loads), ("joined loads", \.joinedLoads), ("refreshes", \.refreshes),
            ("loads kept", \.loadsKept), ("loads confirmed", \.loadsConfirmed),
            ("overtaken loads", \.overtakenLoads), ("overtaken answers", \.overtakenAnswers),
            ("late confirmations", \.lateConfirmations), ("failed loads", \.failedLoads),
            ("stray ends", \.strayEnds), ("loaded answers", \.loadedAnswers),
            ("confirmed answers", \.confirmedAnswers),
            ("negative answers", \.negativeAnswers), ("window answers", \.windowAnswers),
            ("failed reads", \.failedReads), ("tolerated answers", \.toleratedAnswers),
            ("prefetch seeds", \.prefetchSeeds),
            ("copy seeds", \.copySeeds),
            ("copies", \.copies),
            ("prefetched", \.prefetched), ("prefetches spared", \.prefetchesSpared),
            ("prefetches not kept", \.prefetchesNotKept), ("member seeds", \.memberSeeds),
            ("lease seeds", \.leaseSeeds),
            ("changes of members", \.memberChanges), ("busy answers", \.busyAnswers),
        ]
    }

    private var faultsByKind = Array(repeating: 0, count: FaultKinds.each.count)

    /// The number of faults of each kind.
    package var faultFigures: [(name: String, value: Int)] {
        zip(FaultKinds.eachName, faultsByKind).map { ($0, $1) }
    }

    mutating func count(_ kind: FaultKinds) {
        faults += 1
        for (index, each) in FaultKinds.each.enumerated() where each == kind {
            faultsByKind[index] += 1
        }
    }

    /// Counters that may be 0 after a hundred seeds.
    private static let rare: Set<String> = ["lapsed answers", "epochs", "disk faults"]

    /// Counters that are 0 although `count` seeds must raise them: all but the rare ones in a
    /// hundred seeds, all of them in a thousand.
    package func neverMet(in count: Int) -> [String] {
        guard count >= 100 else { return [] }
        return figures.filter { $0.value == 0 && (count >= 1_000 || !Self.rare.contains($0.name)) }
            .map(\.name)
    }

    /// Each figure under its name.
    package var figures: [(name: String, value: Int)] {
        Self.paths.map { ($0.name, self[keyPath: $0.path]) }
    }

    package mutating func add(_ other: Self) {
        for (_, path) in Self.paths { self[keyPath: path] += other[keyPath: path] }
        for index in faultsByKind.indices { faultsByKind[index] += other.faultsByKind[index] }
    }
}
