package import CacheModel

extension ProtocolGuard {
    /// The check of the guard, as a sentence.
    package var sentence: String { Self.sentences[self] ?? rawValue }

    private static let sentences: [ProtocolGuard: String] = [
        .tokenCheck: "A store with a token is compared with every floor that covers it.",
        .tokenBase: "A token from before a floor that was dropped is refused.",
        .versionFloor: "A minimum version never weakens an unconditional invalidation.",
        .floorCheck: "An entry is compared with the floors that rose since it was last accessed.",
        .quarantine: "Forgetting hides everything from before it.",
        .forgottenTokens: "A token from before a forgetting is refused.",
        .pendingQuarantine: "Until the floors that rose meanwhile are known, everything is hidden.",
        .touchedKeys: "A key that was invalidated meanwhile is not served again.",
        .touchedTags: "An entry with a tag that was invalidated meanwhile is not served again.",
        .touchedPrefixes:
            "An entry with a prefix that was invalidated meanwhile is not served again.",
        .touchedNamespaces:
            "An entry of a namespace that was invalidated meanwhile, alone or with everything, is "
            + "not served again.",
        .lastLife:
            "Entries hidden by an earlier forgetting are not spared together with those hidden by "
            + "the last one.",
        .withheldMark:
            "An entry that waits for the origin's confirmation stays hidden when the quarantine is "
            + "over.",
        .renewalCheck: "A renewal is compared with every floor, as a store is.",
        .renewalTags: "A renewal is compared with the tags of the entry that it renews.",
        .renewalMatch: "A renewal renews the value that it names.",
        .fillPosition: "A value counts as read when its token was given.",
        .loadLease: "A token whose load lease is void stores nothing.",
        .joiners: "A reader that asks after an invalidation does not join a load from before it.",
        .loadEnd: "A loaded value is compared with all records applied since its load began.",
        .loadRenewal: "An origin's confirmation counts as of the begin of its load.",
        .earlierAskers:
            "A value overtaken by an invalidation is not returned to readers that asked after it.",
        .hiddenTags:
            "Nor to readers that asked after an invalidation of some tag that a later one hides.",
        .copyFence: "An entry copied from another node counts as read before that node was asked.",
        .prefetchAge: "A prefetch is not answered with an entry older than the requested age.",
        .hardWindows: "No stale window applies to a hard invalidation.",
        .tokenOfAnotherRun: "A token of another run is refused.",
        .suspectWindow: "Without a lease, a held entry replaces a load only within a window.",
        .leaseEnd: "Nothing is called fresh after the lease is over.",
        .oneDecision: "The lease is checked once more before a decided answer is sent.",
        .softMark: "An entry that a soft invalidation covers is not called fresh.",
        .atLeast: "A request for at least a position waits for it.",
        .strongRead: "A strong read waits for the publisher's head.",
        .orderedWait:
            "A removal, and a store that the log orders, are answered once their record is "
            + "applied.",
        .ownership: "A shard answers for its own keys alone.",
        .movedKeys: "Entries filled before a key moved are hidden.",
        .slotsTokens:
            "After a gap, tokens from before the slots are known again are refused.",
        .moveRegained: "What is left of a slot that a shard gets back is hidden.",
        .moveStored:
            "A key that was stored since its slot arrived takes no entry of the owner before.",
        .slotsServed:
            "A shard answers for a slot once every shard knows that it has it.",
        .slotsEnded: "A log without slots begins for a shard once it is in that epoch.",
        .slotsLeased: "With slots, a run stores nothing before its first lease.",
        .settledMembers: "Members are settled once every node that holds a grant knows them.",
        .slotsAllHolders:
            "Slots are served once every run that holds a grant knows the change that moved them.",
        .leaseExclusive:
            "With slots, one run of a node has a lease at a time, and none that another has "
            + "replaced.",
        .failoverMajority:
            "Slots of a silent node go to others only if the publisher hears most nodes.",
        .failoverPatience: "Slots of a silent node go to others only after a time.",
        .shortLives: "A value that may come from a lagging replica lives no longer than the lag.",
        .diskRemovals: "An entry invalidated by its key is removed from the disk as well.",
        .lastingFloors:
            "Entries of other invalidated scopes are hidden on disk as long as the tier lives.",
        .awaitedMark:
            "Records on disk are not read before all records that the last run applied are applied "
            + "again.",
        .shardsObeyed:
            "A node claims the position its shards have applied, not the one they were handed.",
        .leastShard: "The shard that is furthest behind determines its node's position.",
        .headCheck: "A head beyond the applied position indicates missing records.",
        .replay: "Missing records are requested; none is skipped.",
        .digestCheck: "A record, and a head, must have the digest of the applied records.",
        .leaseAfterHead:
            "A lease begins once everything up to the head that it came with is applied.",
        .epochAdoption: "A new epoch hides everything from before it.",
        .floorsComplete:
            "No entry is spared by floors that do not reach back to the node's position.",
        .waitSet: "A receipt waits for every node that holds a grant.",
        .waitSetAfterHead: "Those nodes are determined once the record is the head.",
        .incarnation: "A new run of a node does not change the grant of the old one.",
        .unknownGrants: "After a start, nodes that were not heard from count as leased.",
        .inheritedGrants: "After a start, a node that knows a log counts as leased.",
        .inheritedLease:
            "A lease of an earlier publisher counts as long as that publisher granted it.",
        .grantMargin: "A grant is counted longer than the lease, because clocks differ.",
        .keptUp: "A node that does not catch up with the heads it receives gets no lease.",
        .restartWait: "A publisher without its log waits for its nodes before it appends.",
        .continuedHistory: "A publisher without its log continues at its nodes' positions.",
        .newEpoch: "A node that is ahead of the log makes a new epoch.",
        .markDigest: "A mark counts as applied only if its digest is the log's.",
        .operationMemory: "An executed operation is not executed again.",
        .durableBeforeTold: "No record is sent before it is in the log.",
        .echoes: "If replicas lag, an invalidation is repeated.",
        .leaderConfirmed:
            "A lease, a head and the last run of a node need proof that the publisher leads.",
        .campaignFence: "A term begins only where no other one lasts.",
        .caughtUp: "A new leader reads the log to its head after its term began.",
        .operationsRecalled: "A new leader knows the operations that its predecessors did.",
        .appendFence: "Records are written only by the term that leads.",
        .headFence: "Records are written only behind the head that their writer knows.",
        .stateFence: "State is written only by the term that leads.",
        .stateOrder: "A write of state that is executed late does not replace a later one.",
        .unknownNotFailed: "A write with an unknown outcome is not taken for failed.",
        .unknownNotDone: "A write with an unknown outcome is not taken for done.",
        .restoredLog:
            "A log that ends before what was seen of it continues in a later epoch.",
    ]
}
