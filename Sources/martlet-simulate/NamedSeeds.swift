/// Seeds that once found something. They are always run; a change of the world itself makes other
/// stories of them, and what they found is then shown by a mutant or a test of its own.
enum NamedSeeds {
    /// A store whose tags share a floor took more room than it gave back
    /// (MemoryTierAdmissionTests: aTagThatIsNamedAgainTakesNoRoom).
    static let tagsThatShareAFloor: UInt64 = 710

    /// A fill token of a run that had followed a log whose end was lost was judged by its number,
    /// and a value that had been invalidated meanwhile was stored (token-of-another-run).
    static let tokenOfAnotherRun: UInt64 = 61

    /// A publisher that died between two actions had told nobody of a record that its log had.
    static let recordThatNobodyHeardOf: UInt64 = 244

    /// A node's second forgetting was settled before the first one's entries were met.
    static let twoForgettings: UInt64 = 49

    /// An epoch was told before it was on the disk; after a crash the same number was opened again,
    /// and a node that stood at its beginning was taken for up to date (LogKeeper.begin).
    static let epochOpenedTwice: UInt64 = 2_161

    /// Two runs of a node, one of them heard anew between an invalidation and its receipt.
    static let twinHeardMeanwhile: UInt64 = 234

    /// A node whose mark proved nothing was told that everything had been touched, under a number
    /// that it had passed on a lost branch, and went on showing what it had (FloorsQuestTests).
    static let everythingOnALostBranch: UInt64 = 10_747

    /// What had been cut to the replica lag was touched and lived on, and the publisher had died
    /// before its echo (ShardCoreReplicaLagTests: aTouchDoesNotLengthenWhatWasCut).
    static let touchedWhatWasCut: UInt64 = 4_045

    /// A shard stood at the beginning of an epoch that its publisher took with it: a defect of the
    /// judge, which excuses what nobody goes on from.
    static let epochLostAtItsBeginning: UInt64 = 4_926

    /// A 304 for what a client had stored made it fresh for its lifetime and a window that it has
    /// no room for (ShardCoreRevalidationTests: whatAClientStoredIsConfirmedForItsLifetimeAlone).
    static let confirmedWithoutAWindow: UInt64 = 47

    /// The reader of a load was told a longer life than what a lagging replica may have answered
    /// has (ShardCoreReplicaLagTests: theReaderOfALoadIsToldTheCutLife).
    static let toldMoreThanTheLag: UInt64 = 37

    /// A reader who had waited for the head waited for its load as long again
    /// (ShardCoreLoadingTests: aStrongReadWaitsForItsLoadNoLongerThanItSaid).
    static let waitedTwice: UInt64 = 23

    /// A reader asked between two invalidations of a tag, and was told what both had overtaken
    /// (hidden-tags).
    static let askedBetweenTwoTags: UInt64 = 10

    /// A load whose lease a later load had taken was told to all its readers, though a tag covered
    /// it (ShardCoreLoadingTests: aLoadThatALaterOneReplacedIsHeldAgainstItsTags).
    static let replacedAndTagged: UInt64 = 198

    /// A node that went on from its disk gave a whole life to what a lagging replica answered for
    /// a key that its earlier life had removed (ShardCoreDiskRestartTests:
    /// whatIsLoadedRightAfterARestartLivesNoLongerThanReplicasLag).
    static let removedBeforeTheRestart: UInt64 = 435

    /// A shard was held up, and a reader whose time was over by then began to wait for the disk
    /// (ShardCoreDiskTests: aReaderWhoseTimeIsOverDoesNotBeginToWaitForTheDisk).
    static let waitedForTheDiskTooLate: [UInt64] = [
        9_366, 10_384, 11_045, 11_670, 12_039, 13_464, 14_437, 18_288,
    ]

    /// A node whose disk tiers were of two epochs began as a new one, one of its shards answered
    /// from where its own tier was, and the publisher went on before that
    /// (ShardCoreDiskRestartTests:
    /// whereTheNodeBeginsAsANewOneTheShardClaimsNoPlaceAndHoldsNothing).
    static let tiersOfTwoEpochs: UInt64 = 14_584

    /// Two runs of a node took turns before an epoch and one of them lived on after it: a defect of
    /// the judge, which asked of the new epoch what had been in the old one.
    static let takingTurnsBeforeAnEpoch: UInt64 = 71_267

    /// A publisher without its log knew nothing of a later epoch, since the one node that did was
    /// asleep, and what it appended in the first one died with it: a defect of the judge, which
    /// took it for obeyed.
    static let lostInAnEarlierEpoch: UInt64 = 71_189

    /// A prefetch whose load failed was told that the key was there: by what had been too old for
    /// it before the load (prefetch-age).
    static let prefetchedOlderThanAsked: UInt64 = 26

    /// A node forgot everything up to a place, was stored to blindly, and began anew from further
    /// back, where its other shard was: a defect of the judge, which held the value against records
    /// that the earlier life had stepped over before it.
    static let steppedOverBefore: UInt64 = 84_852

    /// A reader of many keys waited for one of them for longer than replicas lag, and was told what
    /// the others had been loaded with meanwhile: a defect of the judge. The search for it found
    /// that of ShardCoreReplicaLagTests: twoTouchesAreNoMoreThanOne.
    static let waitedLongerThanTheLag: UInt64 = 16_707

    /// Of two loads of a key that the origin confirmed, each took the lease that the other's word
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
