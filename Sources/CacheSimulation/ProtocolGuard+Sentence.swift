package import CacheModel

extension ProtocolGuard {
    /// The check of the guard, as a sentence.
    package var sentence: String { Self.sentences[self] ?? rawValue }

    private static let sentences: [ProtocolGuard: String] = [
        .tokenCheck: "A store with a token is held against every floor that covers it.",
        .tokenBase: "A token from before a floor that was dropped is refused.",
        .versionFloor: "A minimum version never weakens an unconditional invalidation.",
        .floorCheck: "An entry is held against the floors that rose since it was last met.",
        .quarantine: "Forgetting hides everything from before it.",
        .forgottenTokens: "A token from before a forgetting is refused.",
        .pendingQuarantine: "Until it is told what was touched meanwhile, everything is hidden.",
        .touchedKeys: "A key that was touched meanwhile is not shown again.",
        .touchedTags: "What carries a tag that was touched meanwhile is not shown again.",
        .touchedPrefixes: "What has a prefix that was touched meanwhile is not shown again.",
        .touchedNamespaces: "What is of a namespace that was touched meanwhile is not shown again.",
        .lastLife: "What an earlier forgetting hid is not spared with what the last one hid.",
        .withheldMark:
            "What waits for the origin's word stays hidden when the quarantine is over.",
        .renewalCheck: "A renewal is held against every floor, as a store is.",
        .renewalTags: "A renewal is held against the tags of the entry that it renews.",
        .renewalMatch: "A renewal renews the value that it names.",
        .fillPosition: "A value counts as read when its token was given.",
        .loadLease: "A token whose load lease is void stores nothing.",
        .joiners: "Who comes after an invalidation does not join a load from before it.",
        .loadEnd:
            "What was loaded is held against everything that was obeyed since its load began.",
        .loadRenewal:
            "The origin's word that nothing changed counts as of when its load began.",
        .earlierAskers: "What was overtaken is not told to who asked after that.",
        .hiddenTags:
            "Nor to who asked after an invalidation by some tag that a later one hides.",
        .copyFence:
            "What is copied from another node counts as read before that one was asked.",
        .prefetchAge:
            "Who prefetches is not told that something is there which is older than was asked.",
        .hardWindows: "No stale window shows what was invalidated for good.",
        .tokenOfAnotherRun: "A token of another run is refused.",
        .suspectWindow: "Without a lease nothing stands in place of a load for ever.",
        .leaseEnd: "A lease that is over lets nothing be called fresh.",
        .oneDecision: "The lease is looked at once more before what was decided is sent.",
        .softMark: "What a soft invalidation covers is not called fresh.",
        .atLeast: "A request for at least a position waits for it.",
        .strongRead: "A strong read waits for the publisher's head.",
        .orderedWait:
            "A removal, and a store that the log orders, are answered once their record is obeyed.",
        .ownership: "A shard answers for its own keys alone.",
        .movedKeys: "What was filled before a key moved is hidden.",
        .settledMembers: "Members are settled once everybody who holds a grant knows them.",
        .shortLives: "What may come from a replica that lags lives no longer than the lag.",
        .diskRemovals: "What is invalidated by its key leaves the disk as well.",
        .lastingFloors:
            "What else was invalidated is hidden on disk as long as the tier lives.",
        .awaitedMark:
            "The disk is not looked at before what its last life obeyed is obeyed again.",
        .shardsObeyed: "A node claims what its shards have obeyed, not what they were handed.",
        .leastShard: "The shard that is furthest behind speaks for its node.",
        .headCheck: "A head beyond what was applied says that something is missing.",
        .replay: "What is missing is asked for; nothing is stepped over.",
        .digestCheck: "A record, and a head, must carry the digest of what was applied.",
        .leaseAfterHead:
            "A lease begins once everything up to the head that it came with is applied.",
        .epochAdoption: "A new epoch hides what is from before it.",
        .floorsComplete:
            "Nothing is spared by floors that do not reach back to where the node stood.",
        .waitSet: "A receipt waits for everybody who holds a grant.",
        .waitSetAfterHead: "Who that is, is asked once the record is the head.",
        .incarnation: "A new run of a node leaves the grant of the old one as it is.",
        .unknownGrants: "After a start, nodes that were not heard count as leased.",
        .inheritedGrants: "After a start, a node that knows a log counts as leased.",
        .inheritedLease:
            "A lease of an earlier publisher counts as long as that one granted it.",
        .grantMargin: "A grant is counted longer than the lease, because clocks differ.",
        .keptUp: "Who does not catch up with the heads it is told gets no lease.",
        .restartWait: "A publisher without its log waits for its nodes before it appends.",
        .continuedHistory: "A publisher without its log goes on where its nodes stand.",
        .newEpoch: "A node that is ahead of the log makes a new epoch.",
        .markDigest: "A mark counts as obeyed only if its digest is the log's.",
        .operationMemory: "An operation that was done is not done again.",
        .durableBeforeTold: "Nobody hears of a record before the log has it.",
        .echoes: "Where replicas lag, an invalidation is said once more.",
    ]
}
