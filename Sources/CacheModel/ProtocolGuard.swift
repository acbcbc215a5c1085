/// A check that the protocol rests on, by name.
///
/// Each stands in the code where it is made, as `guards.isOn(.name)`. In test builds the
/// simulation switches it off and has to notice: see ``Guards``.
public enum ProtocolGuard: String, CaseIterable, Sendable {
    // A shard's memory.
    /// A store with a token is held against every floor that covers it.
    case tokenCheck = "token-check"
    /// A token from before a floor that was dropped is refused.
    case tokenBase = "token-base"
    /// A minimum version never weakens an unconditional invalidation.
    case versionFloor = "version-floor"
    /// An entry is held against the floors that rose since it was last met.
    case floorCheck = "floor-check"
    /// Forgetting hides everything from before it.
    case quarantine
    /// A token from before a forgetting is refused.
    case forgottenTokens = "forgotten-tokens"
    /// Until it is told what was touched meanwhile, everything is hidden.
    case pendingQuarantine = "pending-quarantine"
    /// A key that was touched meanwhile is not shown again.
    case touchedKeys = "touched-keys"
    /// What carries a tag that was touched meanwhile is not shown again.
    case touchedTags = "touched-tags"
    /// What has a prefix that was touched meanwhile is not shown again.
    case touchedPrefixes = "touched-prefixes"
    /// What is of a namespace that was touched meanwhile, alone or with everything, is not shown
    /// again.
    case touchedNamespaces = "touched-namespaces"
    /// What an earlier forgetting hid is not spared with what the last one hid.
    case lastLife = "last-life"
    /// What waits for the origin's word stays hidden when the quarantine is over.
    case withheldMark = "withheld-mark"
    /// A renewal is held against every floor, as a store is.
    case renewalCheck = "renewal-check"
    /// A renewal is held against the tags of the entry that it renews.
    case renewalTags = "renewal-tags"
    /// A renewal renews the value that it names.
    case renewalMatch = "renewal-match"

    // A shard.
    /// A value counts as read when its token was given.
    case fillPosition = "fill-position"
    /// A token whose load lease is void stores nothing.
    case loadLease = "load-lease"
    /// Who comes after an invalidation does not join a load from before it.
    case joiners
    /// What was loaded is held against everything that was obeyed since its load began.
    case loadEnd = "load-end"
    /// The origin's word that nothing changed counts as of when its load began.
    case loadRenewal = "load-renewal"
    /// Without a lease, what is held stands in place of a load within a window alone.
    case suspectWindow = "suspect-window"
    /// What was overtaken is not told to who asked after that.
    case earlierAskers = "earlier-askers"
    /// Nor to who asked after an invalidation by some tag that a later one hides.
    case hiddenTags = "hidden-tags"
    /// What is copied from another node counts as read before that one was asked.
    case copyFence = "copy-fence"
    /// No stale window shows what was invalidated for good.
    case hardWindows = "hard-windows"
    /// Who prefetches is not told that something is there which is older than was asked for.
    case prefetchAge = "prefetch-age"
    /// A token of another run is refused.
    case tokenOfAnotherRun = "token-of-another-run"
    /// A lease that is over lets nothing be called fresh.
    case leaseEnd = "lease-end"
    /// The lease is looked at once more before what was decided is sent.
    case oneDecision = "one-decision"
    /// What a soft invalidation covers is not called fresh.
    case softMark = "soft-mark"
    /// A request for at least a position waits for it.
    case atLeast = "at-least"
    /// A strong read waits for the publisher's head.
    case strongRead = "strong-read"
    /// A removal, and a store that the log orders, are answered once their record is obeyed.
    case orderedWait = "ordered-wait"
    /// What may come from a replica that lags lives no longer than the lag.
    case shortLives = "short-lives"
    /// A shard answers for its own keys alone.
    case ownership
    /// What was filled before a key moved is hidden.
    case movedKeys = "moved-keys"

    // A shard's disk tier.
    /// What is invalidated by its key leaves the disk as well.
    case diskRemovals = "disk-removals"
    /// What else was invalidated is hidden on disk as long as the tier lives.
    case lastingFloors = "lasting-floors"
    /// What lies on disk is not looked at before what its last life obeyed is obeyed again.
    case awaitedMark = "awaited-mark"

    // A node's control thread.
    /// A node claims what its shards have obeyed, not what they were handed.
    case shardsObeyed = "shards-obeyed"
    /// The shard that is furthest behind speaks for its node.
    case leastShard = "least-shard"
    /// A head beyond what was applied says that something is missing.
    case headCheck = "head-check"
    /// What is missing is asked for; nothing is stepped over.
    case replay
    /// A record, and a head, must carry the digest of what was applied.
    case digestCheck = "digest-check"
    /// A lease begins once everything up to the head that it came with is applied.
    case leaseAfterHead = "lease-after-head"
    /// A new epoch hides what is from before it.
    case epochAdoption = "epoch-adoption"
    /// Nothing is spared by floors that do not reach back to where the node stood.
    case floorsComplete = "floors-complete"

    // The publisher.
    /// A receipt waits for everybody who holds a grant.
    case waitSet = "wait-set"
    /// Who that is, is asked once the record is the head.
    case waitSetAfterHead = "wait-set-after-head"
    /// A new run of a node leaves the grant of the old one as it is.
    case incarnation
    /// After a start, nodes that were not heard count as leased.
    case unknownGrants = "unknown-grants"
    /// After a start, a node that knows a log counts as leased.
    case inheritedGrants = "inherited-grants"
    /// A lease of an earlier publisher counts as long as that one granted it.
    case inheritedLease = "inherited-lease"
    /// A grant is counted longer than the lease, because clocks differ.
    case grantMargin = "grant-margin"
    /// Who does not catch up with the heads it is told gets no lease.
    case keptUp = "kept-up"
    /// A publisher without its log waits for its nodes before it appends.
    case restartWait = "restart-wait"
    /// A publisher without its log goes on where its nodes stand.
    case continuedHistory = "continued-history"
    /// A node that is ahead of the log makes a new epoch.
    case newEpoch = "new-epoch"
    /// A mark counts as obeyed only if its digest is the log's.
    case markDigest = "mark-digest"
    /// An operation that was done is not done again.
    case operationMemory = "operation-memory"
    /// Nobody hears of a record before the log has it.
    case durableBeforeTold = "durable-before-told"
    /// Where replicas lag, an invalidation is said once more.
    case echoes
    /// Members are settled once everybody who holds a grant knows them.
    case settledMembers = "settled-members"
}
