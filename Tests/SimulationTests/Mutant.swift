import CacheModel

/// One guard of the protocol switched off, and the seeds among which the simulation must miss it.
struct Mutant {
    let missing: ProtocolGuard
    /// The first seed that is lived through.
    let from: UInt64
    /// How many there are, at most.
    let count: UInt64

    init(_ missing: ProtocolGuard, from: UInt64 = 1, within count: UInt64) {
        self.missing = missing
        self.from = from
        self.count = count
    }

    /// Each guard once. Where a story of the right kind is rare the seeds begin shortly before one:
    /// `swift run martlet simulate --disable GUARD` finds another after a change of the world.
    static let all: [Mutant] = [
        Mutant(.tokenCheck, within: 10),
        Mutant(.tokenBase, within: 10),
        Mutant(.versionFloor, within: 10),
        Mutant(.floorCheck, within: 10),
        Mutant(.quarantine, within: 10),
        Mutant(.fillPosition, within: 10),
        Mutant(.loadLease, within: 10),
        Mutant(.joiners, within: 10),
        Mutant(.tokenOfAnotherRun, from: 53, within: 5),
        Mutant(.leaseEnd, from: 24, within: 5),
        Mutant(.oneDecision, from: 22, within: 5),
        Mutant(.softMark, within: 10),
        Mutant(.atLeast, within: 10),
        Mutant(.strongRead, within: 10),
        Mutant(.orderedWait, within: 10),
        Mutant(.shardsObeyed, within: 10),
        Mutant(.leastShard, within: 10),
        Mutant(.headCheck, within: 10),
        Mutant(.replay, within: 10),
        Mutant(.digestCheck, from: 19, within: 5),
        Mutant(.leaseAfterHead, within: 10),
        Mutant(.epochAdoption, within: 10),
        Mutant(.waitSet, within: 10),
        Mutant(.waitSetAfterHead, within: 10),
        Mutant(.incarnation, within: 10),
        Mutant(.unknownGrants, from: 31, within: 5),
        Mutant(.inheritedGrants, within: 10),
        Mutant(.grantMargin, from: 25, within: 5),
        Mutant(.keptUp, within: 10),
        Mutant(.restartWait, from: 137, within: 5),
        Mutant(.continuedHistory, from: 195, within: 5),
        Mutant(.newEpoch, from: 78, within: 5),
        Mutant(.markDigest, from: 317, within: 5),
        Mutant(.operationMemory, within: 10),
        Mutant(.durableBeforeTold, within: 10),
    ]
}
