/// Counters of events: a simulation in which nothing went wrong has shown nothing.
package struct SimulationTally: Sendable {
    /// What is counted, in the order of a report.
    package enum Figure: Int, CaseIterable, Sendable {
        case events
        // Answers.
        case hits, stale, behind, tokens, stored
        case invalidatedMeanwhile, leasesVoid, olderVersions
        /// Answers that were not sent: their lease had ended since they were decided.
        case lapsedAnswers
        // The log and its followers.
        case records, lostRecords, completeReceipts, incompleteReceipts, receiptsWithExpired
        case forgettings, floorSnapshots, suspicions, gaps, divergences, epochs, truncations
        // The network and its faults.
        case overflows, drops, faults, publisherStarts, nodeStarts, diskFaults, refusedAppends
        case strongReads, renewals
        /// Answers with entries that a floor snapshot spared.
        case sparedAnswers
        case laggingReads, echoes
        /// Runs that learned which run had the last lease before them.
        case livesTold
        /// Seeds with disk tiers; then the outcomes of those tiers.
        case diskSeeds
        case disksBegun, disksRecovered, diskResumptions, disksRefused, disksDiscarded
        case disksLost, disksEnded, diskTierFaults
        /// Tiers that gave space back, and those that had all of it again.
        case diskTiersResized
        case powerLosses, diskReads
        /// Answers with entries that an earlier run stored.
        case inheritedAnswers
        /// Seeds with nodes that load values themselves; then the outcomes of loads and waits.
        case originSeeds
        case originFaults, loads, joinedLoads, refreshes, loadsKept, loadsConfirmed
        /// Loads that an invalidation overtook, and answers that report it.
        case overtakenLoads, overtakenAnswers
        /// 304 responses for entries that were invalidated meanwhile.
        case lateConfirmations
        case failedLoads
        /// Ends of loads that were no longer known.
        case strayEnds
        case loadedAnswers
        /// Answers that a load has just confirmed, without lifetime left or softly invalidated
        /// since.
        case confirmedAnswers
        case negativeAnswers
        /// Stale answers past a lifetime, within the promised window.
        case windowAnswers
        case failedReads
        /// Stale values in place of a load, without a lease.
        case toleratedAnswers
        /// Seeds with clients that prefetch.
        case prefetchSeeds
        /// Seeds with nodes that copy entries from each other, and how many were stored.
        case copySeeds, copies
        /// Answers to prefetches: loaded and kept, present already, loaded and not kept.
        case prefetched, prefetchesSpared, prefetchesNotKept
        /// Seeds in which nodes leave the configuration and come back.
        case memberSeeds
        /// Seeds in which the publisher finds another lease at each start.
        case leaseSeeds
        case changesOfMembers
        /// Answers to requests to a shard that does not own the key.
        case busyAnswers
        /// Several publishers: terms of leadership, those that ended, and answers of the others.
        case sharedFaults
        case terms, lostTerms, resignations, redirections
        /// Requests to the store without an answer, and those executed after that.
        case unansweredRequests, lateExecutions, storeRestores
        /// Answers that only the owner of a slot may give.
        case ownedAnswers
        /// Nodes that were told to leave, that the publisher was told to forget, and that were
        /// silent and lost their slots.
        case drains, forgottenNodes, failovers
        /// Slots: how often those that had moved were served.
        case servedSlots
        /// Entries that new owners took from the owners before, and keys that they requested for
        /// readers.
        case movedCopies, pulls

        /// In a report: `lost records`.
        package var name: String {
            "\(self)".reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
        }
    }

    private var values = Array(repeating: 0, count: Figure.allCases.count)
    private var faultsByKind = Array(repeating: 0, count: FaultKinds.each.count)

    package init() {}

    package subscript(figure: Figure) -> Int { values[figure.rawValue] }

    mutating func count(_ figure: Figure, _ number: Int = 1) { values[figure.rawValue] += number }

    /// The number of faults of each kind.
    package var faultFigures: [(name: String, value: Int)] {
        zip(FaultKinds.eachName, faultsByKind).map { ($0, $1) }
    }

    mutating func count(_ kind: FaultKinds) {
        count(.faults)
        for (index, each) in FaultKinds.each.enumerated() where each == kind {
            faultsByKind[index] += 1
        }
    }

    /// Counters that may be 0 after a hundred seeds.
    private static let rare: Set<String> = [
        "lapsed answers", "epochs", "disk faults", "failovers",
    ]

    /// Counters of several publishers alone.
    private static let shared: [Figure] = [
        .sharedFaults, .terms, .lostTerms, .resignations, .redirections, .unansweredRequests,
        .lateExecutions,
        .storeRestores,
    ]

    /// Counters of slots alone.
    private static let slots: [Figure] = [
        .ownedAnswers, .drains, .forgottenNodes, .failovers, .servedSlots, .movedCopies, .pulls,
    ]

    /// Counters that are 0 although `count` seeds must raise them: all but the rare ones in a
    /// hundred seeds, all of them in a thousand.
    ///
    /// - Parameter kind: with several publishers, or slots, only their counters count.
    package func neverMet(in count: Int, _ kind: WorldKind = WorldKind()) -> [String] {
        guard count >= 100 else { return [] }
        var own = (kind.publishers > 1 ? Self.shared : []) + (kind.hasSlots ? Self.slots : [])
        // Of several publishers the tables are not compared, nor their failovers judged.
        if kind.publishers > 1 { own.removeAll { [.ownedAnswers, .failovers].contains($0) } }
        let others = Set((Self.shared + Self.slots).map(\.name))
        let wanted = Set(own.map(\.name))
        return figures.filter {
            $0.value == 0
                && (own.isEmpty ? !others.contains($0.name) : wanted.contains($0.name))
                && (count >= 1_000 || !Self.rare.contains($0.name))
        }.map(\.name)
    }

    /// Each figure under its name.
    package var figures: [(name: String, value: Int)] {
        zip(Figure.allCases, values).map { ($0.name, $1) }
    }

    package mutating func add(_ other: Self) {
        for index in values.indices { values[index] += other.values[index] }
        for index in faultsByKind.indices { faultsByKind[index] += other.faultsByKind[index] }
    }
}
