import CacheSimulation
import CommandSurface

/// Seeds that once found a defect. They always run. A change of the world gives a seed another
/// course; a mutant or a test of its own then covers what it found.
enum NamedSeeds {
    /// A store with tags that share a floor took more memory than it freed
    /// (MemoryTierAdmissionTests: aTagThatIsNamedAgainTakesNoRoom).
    static let tagsThatShareAFloor: UInt64 = 710

    /// A token of a run that had followed a log with a lost end was judged by its number alone. So
    /// a value that had been invalidated meanwhile was stored (token-of-another-run).
    static let tokenOfAnotherRun: UInt64 = 61

    /// A publisher died between two actions: its log had a record that it had sent to no node.
    static let recordThatNobodyHeardOf: UInt64 = 244

    /// A node's second forgetting was settled before the first one's entries were met.
    static let twoForgettings: UInt64 = 49

    /// An epoch was announced before it was on the disk. After a crash the same number was opened
    /// again, and a node at its beginning was taken for up to date (LogKeeper.begin).
    static let epochOpenedTwice: UInt64 = 2_161

    /// Two runs of a node, one of them heard anew between an invalidation and its receipt.
    static let twinHeardMeanwhile: UInt64 = 234

    /// A node with a mark that proved nothing was told that everything had been touched, at a
    /// number that it had passed on a lost branch. It continued to show its entries
    /// (FloorsQueryTests).
    static let everythingOnALostBranch: UInt64 = 10_747

    /// An entry with a lifetime cut to the replica lag was touched and lived on, and the publisher
    /// had died before its echo (ShardCoreReplicaLagTests: aTouchDoesNotLengthenWhatWasCut).
    static let touchedWhatWasCut: UInt64 = 4_045

    /// A shard stood at the beginning of an epoch that was lost with its publisher: a defect of the
    /// judge, which excuses positions that no publisher continues from.
    static let epochLostAtItsBeginning: UInt64 = 4_926

    /// A 304 for a value that a client had stored made it fresh for its lifetime and a stale window
    /// that it must not have (ShardCoreRevalidationTests:
    /// whatAClientStoredIsConfirmedForItsLifetimeAlone).
    static let confirmedWithoutAWindow: UInt64 = 47

    /// The reader of a load got a longer time to live than the possible answer of a lagging replica
    /// has (ShardCoreReplicaLagTests: theReaderOfALoadIsToldTheCutLife).
    static let toldMoreThanTheLag: UInt64 = 37

    /// A reader that had waited for the head waited as long again for its load
    /// (ShardCoreLoadingTests: aStrongReadWaitsForItsLoadNoLongerThanItSaid).
    static let waitedTwice: UInt64 = 23

    /// A reader asked between two invalidations of a tag, and got a value that both had overtaken
    /// (hidden-tags).
    static let askedBetweenTwoTags: UInt64 = 10

    /// A later load had taken the lease of a load. All readers of the earlier load got its value,
    /// although an invalidated tag covered it (ShardCoreLoadingTests:
    /// aLoadThatALaterOneReplacedIsHeldAgainstItsTags).
    static let replacedAndTagged: UInt64 = 198

    /// A node that continued from its disk gave a whole lifetime to the answer of a lagging
    /// replica, for a key that its earlier run had removed (ShardCoreDiskRestartTests:
    /// aLoadAfterARestartExpiresWithinTheReplicaLag).
    static let removedBeforeTheRestart: UInt64 = 435

    /// A shard was delayed, and a reader that was past its deadline by then began to wait for the
    /// disk (ShardCoreDiskTests: aRequestPastItsDeadlineStartsNoDiskRead).
    static let waitedForTheDiskTooLate: [UInt64] = [
        9_366, 10_384, 11_045, 11_670, 12_039, 13_464, 14_437, 18_288,
    ]

    /// A node with disk tiers of two epochs began as a new one. One of its shards answered from the
    /// position of its own tier, and the publisher continued before that position
    /// (ShardCoreDiskRestartTests:
    /// aShardThatStartsWithoutAPositionServesNoEntries).
    static let tiersOfTwoEpochs: UInt64 = 14_584

    /// Two runs of a node took turns before an epoch, and one of them continued after it: a defect
    /// of the judge, which demanded of the new epoch what had been in the old one.
    static let takingTurnsBeforeAnEpoch: UInt64 = 71_267

    /// A publisher without its log knew nothing of a later epoch, since the one node that did was
    /// asleep. The records that it appended in the first epoch were lost with it: a defect of the
    /// judge, which took them for applied.
    static let lostInAnEarlierEpoch: UInt64 = 71_189

    /// A prefetch with a failed load was told that the key was there, because of a value that had
    /// been too old for it before the load (prefetch-age).
    static let prefetchedOlderThanAsked: UInt64 = 26

    /// A node forgot everything up to a position, got a blind store, and began anew from an earlier
    /// position, where its other shard was: a defect of the judge, which held the value against
    /// records that the earlier run had skipped before it.
    static let steppedOverBefore: UInt64 = 84_852

    /// A reader of many keys waited for one of them for longer than replicas lag, and got the
    /// values that the others had been loaded with meanwhile: a defect of the judge. The search for
    /// it found that of ShardCoreReplicaLagTests: twoTouchesAreNoMoreThanOne.
    static let waitedLongerThanTheLag: UInt64 = 16_707

    /// The origin confirmed two loads of a key. Each took the lease that the other's confirmation
    /// needed, and its readers began again (ShardCoreRevalidationTests:
    /// whatIsConfirmedHoldsThoughALaterLoadIsUnderWay).
    static let confirmedByTurns: UInt64 = 91_279

    /// The record that members are settled was lost with a damaged disk, and a shard answered for
    /// no key any more (ShardCoreOwnershipTests: membersAreSettledByAReportWhereTheRecordIsLost).
    static let settledRecordLost: UInt64 = 4_938

    static let all =
        [
            everythingOnALostBranch, epochOpenedTwice, twinHeardMeanwhile, tagsThatShareAFloor,
            tokenOfAnotherRun, recordThatNobodyHeardOf, twoForgettings, touchedWhatWasCut,
            epochLostAtItsBeginning, confirmedWithoutAWindow, toldMoreThanTheLag, waitedTwice,
            askedBetweenTwoTags, replacedAndTagged, removedBeforeTheRestart, tiersOfTwoEpochs,
            takingTurnsBeforeAnEpoch, lostInAnEarlierEpoch, prefetchedOlderThanAsked,
            steppedOverBefore, waitedLongerThanTheLag, confirmedByTurns,
            settledRecordLost,
        ] + waitedForTheDiskTooLate
}

extension NamedSeeds {
    /// Runs all named seeds; each passes if no promise breaks.
    static func run() async -> CheckReport {
        await CheckReport.running(all.count) { check(all[$0]) }
    }

    private static func check(_ seed: UInt64) -> SimulationCheck {
        let outcome = Simulation.run(seed: seed)
        guard let violation = outcome.violation else {
            return SimulationCheck(
                name: "seed \(seed)", isPassed: true, sentence: "no promise was broken")
        }
        return SimulationCheck(
            name: "seed \(seed)", isPassed: false,
            sentence: HarmlessText.line(violation)
                + " (again, with every event: martlet-simulate --seed \(seed))",
            story: outcome.report)
    }
}
