/// A check on which the protocol depends, by name.
///
/// Each is in the code where it is made, as `guards.isOn(.name)`. In test builds the simulation
/// switches it off and has to detect that: see ``Guards``.
package enum ProtocolGuard: String, CaseIterable, Sendable {
    // Memory of a shard.
    /// A store with a token is compared with every floor that covers it.
    case tokenCheck = "token-check"
    /// A token from before a floor that was dropped is refused.
    case tokenBase = "token-base"
    /// A minimum version never weakens an unconditional invalidation.
    case versionFloor = "version-floor"
    /// An entry is compared with the floors that rose since it was last accessed.
    case floorCheck = "floor-check"
    /// Forgetting hides everything from before it.
    case quarantine
    /// A token from before a forgetting is refused.
    case forgottenTokens = "forgotten-tokens"
    /// Until the floors that rose meanwhile are known, everything is hidden.
    case pendingQuarantine = "pending-quarantine"
    /// A key that was invalidated meanwhile is not served again.
    case touchedKeys = "touched-keys"
    /// An entry with a tag that was invalidated meanwhile is not served again.
    case touchedTags = "touched-tags"
    /// An entry with a prefix that was invalidated meanwhile is not served again.
    case touchedPrefixes = "touched-prefixes"
    /// An entry of a namespace that was invalidated meanwhile, alone or with everything, is not
    /// served again.
    case touchedNamespaces = "touched-namespaces"
    /// Entries hidden by an earlier forgetting are not spared together with those hidden by the
    /// last one.
    case lastLife = "last-life"
    /// An entry that waits for the origin's confirmation stays hidden when the quarantine is over.
    case withheldMark = "withheld-mark"
    /// A renewal is compared with every floor, as a store is.
    case renewalCheck = "renewal-check"
    /// A renewal is compared with the tags of the entry that it renews.
    case renewalTags = "renewal-tags"
    /// A renewal renews the value that it names.
    case renewalMatch = "renewal-match"

    // Shards.
    /// A value counts as read when its token was given.
    case fillPosition = "fill-position"
    /// A token with a void load lease stores nothing.
    case loadLease = "load-lease"
    /// A reader that asks after an invalidation does not join a load from before it.
    case joiners
    /// A loaded value is compared with all records applied since its load began.
    case loadEnd = "load-end"
    /// An origin's confirmation counts as of the begin of its load.
    case loadRenewal = "load-renewal"
    /// Without a lease, a held entry replaces a load only within a window.
    case suspectWindow = "suspect-window"
    /// A value overtaken by an invalidation is not returned to readers that asked after it.
    case earlierAskers = "earlier-askers"
    /// Nor to readers that asked after an invalidation of some tag that a later one hides.
    case hiddenTags = "hidden-tags"
    /// An entry copied from another node counts as read before that node was asked.
    case copyFence = "copy-fence"
    /// No stale window applies to a hard invalidation.
    case hardWindows = "hard-windows"
    /// A prefetch is not answered with an entry older than the requested age.
    case prefetchAge = "prefetch-age"
    /// A token of another run is refused.
    case tokenOfAnotherRun = "token-of-another-run"
    /// Nothing is called fresh after the lease is over.
    case leaseEnd = "lease-end"
    /// The lease is checked once more before a decided answer is sent.
    case oneDecision = "one-decision"
    /// An entry that a soft invalidation covers is not called fresh.
    case softMark = "soft-mark"
    /// A request for at least a position waits for it.
    case atLeast = "at-least"
    /// A strong read waits for the publisher's head.
    case strongRead = "strong-read"
    /// A removal, and a store that the log orders, are answered once their record is applied.
    case orderedWait = "ordered-wait"
    /// A value that may come from a lagging replica lives no longer than the lag.
    case shortLives = "short-lives"
    /// A shard answers for its own keys alone.
    case ownership
    /// Entries filled before a key moved are hidden.
    case movedKeys = "moved-keys"
    /// After a gap, tokens from before the slots are known again are refused.
    case slotsTokens = "slots-tokens"
    /// What is left of a slot that a shard gets back is hidden.
    case moveRegained = "move-regained"
    /// A key that was stored since its slot arrived takes no entry of the owner before.
    case moveStored = "move-stored"
    /// A shard answers for a slot once every shard knows that it has it.
    case slotsServed = "slots-served"
    /// A log without slots begins for a shard once it is in that epoch.
    case slotsEnded = "slots-ended"
    /// With slots, a run stores nothing before its first lease.
    case slotsLeased = "slots-leased"

    // Disk tier of a shard.
    /// An entry invalidated by its key is removed from the disk as well.
    case diskRemovals = "disk-removals"
    /// Entries of other invalidated scopes are hidden on disk as long as the tier lives.
    case lastingFloors = "lasting-floors"
    /// Records on disk are not read before all records that the last run applied are applied again.
    case awaitedMark = "awaited-mark"

    // Control thread of a node.
    /// A node claims the position its shards have applied, not the one they were handed.
    case shardsObeyed = "shards-obeyed"
    /// The shard that is furthest behind determines its node's position.
    case leastShard = "least-shard"
    /// A head beyond the applied position indicates missing records.
    case headCheck = "head-check"
    /// Missing records are requested; none is skipped.
    case replay
    /// A record, and a head, must have the digest of the applied records.
    case digestCheck = "digest-check"
    /// A lease begins once everything up to the head that it came with is applied.
    case leaseAfterHead = "lease-after-head"
    /// A new epoch hides everything from before it.
    case epochAdoption = "epoch-adoption"
    /// No entry is spared by floors that do not reach back to the node's position.
    case floorsComplete = "floors-complete"

    // Publisher.
    /// A receipt waits for every node that holds a grant.
    case waitSet = "wait-set"
    /// Those nodes are determined once the record is the head.
    case waitSetAfterHead = "wait-set-after-head"
    /// A new run of a node does not change the grant of the old one.
    case incarnation
    /// After a start, nodes that were not heard from count as leased.
    case unknownGrants = "unknown-grants"
    /// After a start, a node that knows a log counts as leased.
    case inheritedGrants = "inherited-grants"
    /// A lease of an earlier publisher counts as long as that publisher granted it.
    case inheritedLease = "inherited-lease"
    /// A grant is counted longer than the lease, because clocks differ.
    case grantMargin = "grant-margin"
    /// A node that does not catch up with the heads it receives gets no lease.
    case keptUp = "kept-up"
    /// A publisher without its log waits for its nodes before it appends.
    case restartWait = "restart-wait"
    /// A publisher without its log continues at its nodes' positions.
    case continuedHistory = "continued-history"
    /// A node that is ahead of the log makes a new epoch.
    case newEpoch = "new-epoch"
    /// A mark counts as applied only if its digest is the log's.
    case markDigest = "mark-digest"
    /// An executed operation is not executed again.
    case operationMemory = "operation-memory"
    /// No record is sent before it is in the log.
    case durableBeforeTold = "durable-before-told"
    /// If replicas lag, an invalidation is repeated.
    case echoes
    /// Members are settled once every node that holds a grant knows them.
    case settledMembers = "settled-members"
    /// Slots are served once every run that holds a grant knows the change that moved them.
    case slotsAllHolders = "slots-all-holders"
    /// With slots, one run of a node has a lease at a time, and none that another has replaced.
    case leaseExclusive = "lease-exclusive"
    /// Slots of a silent node go to others only if the publisher hears most nodes.
    case failoverMajority = "failover-majority"
    /// Slots of a silent node go to others only after a time.
    case failoverPatience = "failover-patience"

    // A log that several publishers lead in turn.
    /// A lease, a head and the last run of a node need proof that this publisher leads.
    case leaderConfirmed = "leader-confirmed"
    /// A term begins only where no other one lasts.
    case campaignFence = "campaign-fence"
    /// A new leader reads the log to its head after its term began.
    case caughtUp = "caught-up"
    /// A new leader knows the operations that its predecessors did.
    case operationsRecalled = "operations-recalled"
    /// Records are written only by the term that leads.
    case appendFence = "append-fence"
    /// Records are written only behind the head that their writer knows.
    case headFence = "head-fence"
    /// State is written only by the term that leads.
    case stateFence = "state-fence"
    /// A write of state that is executed late does not replace a later one.
    case stateOrder = "state-order"
    /// A write with an unknown outcome is not taken for failed.
    case unknownNotFailed = "unknown-not-failed"
    /// Nor is it taken for done.
    case unknownNotDone = "unknown-not-done"
    /// A log that ends before what was seen of it continues in a later epoch.
    case restoredLog = "restored-log"
}
