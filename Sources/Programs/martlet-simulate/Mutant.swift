import CacheModel
import CacheSimulation

/// One disabled guard of the protocol, and the seeds in which the simulation must detect that.
struct Mutant {
    let missing: ProtocolGuard
    /// The first seed to run.
    let from: UInt64
    /// The most seeds to run.
    let count: UInt64
    let kind: WorldKind

    init(
        _ missing: ProtocolGuard, from: UInt64 = 1, within count: UInt64, publishers: Int = 1,
        hasSlots: Bool = false
    ) {
        kind = WorldKind(publishers: publishers, hasSlots: hasSlots)
        self.missing = missing
        self.from = from
        self.count = count
    }

    /// One mutant for each guard. If suitable seeds are rare, the range begins shortly before one:
    /// `martlet-simulate --disable GUARD` finds another after a change of the world.
    static let all: [Mutant] = [
        Mutant(.tokenCheck, within: 10),
        Mutant(.tokenBase, from: 7, within: 5),
        Mutant(.versionFloor, from: 23, within: 5),
        Mutant(.floorCheck, within: 10),
        Mutant(.quarantine, within: 10),
        Mutant(.forgottenTokens, within: 10),
        Mutant(.pendingQuarantine, from: 52, within: 5),
        Mutant(.touchedKeys, from: 38, within: 5),
        Mutant(.touchedTags, from: 43, within: 5),
        Mutant(.touchedPrefixes, from: 56, within: 5),
        Mutant(.touchedNamespaces, from: 56, within: 5),
        Mutant(.lastLife, from: 198, within: 5),
        Mutant(.withheldMark, from: 272, within: 5),
        Mutant(.renewalCheck, from: 24, within: 5),
        Mutant(.renewalTags, from: 98, within: 5),
        Mutant(.renewalMatch, from: 11, within: 5),
        Mutant(.fillPosition, within: 10),
        Mutant(.loadLease, within: 10),
        Mutant(.joiners, within: 10),
        Mutant(.loadEnd, from: 24, within: 5),
        Mutant(.loadRenewal, within: 60),
        Mutant(.suspectWindow, from: 140, within: 5),
        Mutant(.earlierAskers, within: 60),
        Mutant(.hiddenTags, from: 43, within: 5),
        Mutant(.copyFence, from: 162, within: 5),
        Mutant(.hardWindows, within: 20),
        Mutant(.prefetchAge, from: 26, within: 5),
        Mutant(.tokenOfAnotherRun, from: 17, within: 5),
        Mutant(.leaseEnd, from: 53, within: 5),
        Mutant(.oneDecision, from: 29, within: 5),
        Mutant(.softMark, within: 10),
        Mutant(.atLeast, within: 10),
        Mutant(.strongRead, within: 10),
        Mutant(.orderedWait, within: 10),
        Mutant(.shortLives, from: 37, within: 5),
        Mutant(.ownership, within: 10),
        Mutant(.movedKeys, from: 84, within: 5),
        Mutant(.slotsTokens, from: 268, within: 5, hasSlots: true),
        Mutant(.moveRegained, from: 50, within: 5, hasSlots: true),
        Mutant(.moveStored, from: 72, within: 5, hasSlots: true),
        Mutant(.slotsServed, within: 20, hasSlots: true),
        Mutant(.slotsEnded, from: 12_658, within: 5, hasSlots: true),
        Mutant(.slotsLeased, from: 15_139, within: 5, hasSlots: true),
        Mutant(.diskRemovals, from: 10, within: 40),
        Mutant(.lastingFloors, from: 18, within: 100),
        Mutant(.awaitedMark, from: 3371, within: 5),
        Mutant(.shardsObeyed, within: 10),
        Mutant(.leastShard, within: 10),
        Mutant(.headCheck, within: 10),
        Mutant(.replay, within: 10),
        Mutant(.digestCheck, from: 69, within: 5),
        Mutant(.leaseAfterHead, within: 10),
        Mutant(.epochAdoption, from: 4, within: 5),
        Mutant(.floorsComplete, from: 74, within: 5),
        Mutant(.waitSet, within: 10),
        Mutant(.waitSetAfterHead, within: 10),
        Mutant(.incarnation, from: 16, within: 5),
        Mutant(.unknownGrants, from: 35, within: 5),
        Mutant(.inheritedGrants, from: 25, within: 5),
        Mutant(.inheritedLease, from: 98, within: 5),
        Mutant(.grantMargin, within: 10),
        Mutant(.keptUp, from: 21, within: 5),
        Mutant(.restartWait, within: 10),
        Mutant(.continuedHistory, from: 154, within: 5),
        Mutant(.newEpoch, from: 6, within: 5),
        Mutant(.markDigest, from: 46, within: 5),
        Mutant(.operationMemory, within: 10),
        Mutant(.durableBeforeTold, within: 10),
        Mutant(.echoes, from: 226, within: 5),
        Mutant(.settledMembers, from: 408, within: 5),
        Mutant(.slotsAllHolders, within: 60, hasSlots: true),
        Mutant(.leaseExclusive, from: 405, within: 5, hasSlots: true),
        Mutant(.failoverMajority, from: 227, within: 5, hasSlots: true),
        Mutant(.failoverPatience, from: 72, within: 5, hasSlots: true),
        Mutant(.leaderConfirmed, from: 10, within: 50, publishers: 3),
        Mutant(.campaignFence, within: 10, publishers: 3),
        Mutant(.caughtUp, within: 20, publishers: 3),
        Mutant(.operationsRecalled, within: 10, publishers: 3),
        Mutant(.appendFence, within: 20, publishers: 3),
        Mutant(.headFence, within: 10, publishers: 3),
        Mutant(.stateFence, within: 20, publishers: 3),
        Mutant(.stateOrder, from: 868, within: 5, publishers: 3),
        Mutant(.unknownNotFailed, within: 10, publishers: 3),
        Mutant(.unknownNotDone, within: 10, publishers: 3),
        Mutant(.restoredLog, within: 10, publishers: 3),
    ]
}
