package import CacheModel

/// How much memory a node's entries may take now: the configured memory, or less while memory is
/// short.
///
/// The control thread owns it. Once a second, and more often where little is free, it asks the
/// shards what their entries take, has the kernel's files read once the last has answered, and
/// hands both over:
///
///     tick ──▶ measureShards ─ ─ measured × shards ──▶ readKernel ─ ─ read ──▶ setBudget
///
/// ### The law
/// What the process and its neighbours take beside entries does not follow from the budget. So
///
///     budget = limit − headroom − (used − entries)
///
/// leaves the headroom free even when the entries fill the budget, and does not change while they
/// do: the node shrinks before the limit is reached, not at it. Of several bounds the tightest
/// counts. Where tasks wait for memory all the same, as under a bound that cannot be seen, the
/// budget is cut by shares until they do not.
///
/// It shrinks at once and grows slowly, after a calm time, and lets small differences be. It never
/// leaves the span from a floor to the configured memory.
///
/// It reads no file and no clock, and evicts nothing: that is each shard's, by slices.
package struct BudgetGovernor: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask every shard what its entries take.
        case measureShards
        /// Read what the kernel says, and tell ``read(_:now:into:)``.
        case readKernel
        /// All shards together may take this from now on.
        case setBudget(bytes: Int)
        case report(BudgetReport)
    }

    enum Phase: Sendable {
        /// Nothing was read yet. Becomes `watching` or `off`.
        case starting
        case watching
        /// The first reading found nothing; nothing follows.
        case off
    }

    let configuredBytes: Int
    private(set) var phase = Phase.starting
    private var dueAt: Instant?
    /// Shorter while little is free.
    private var readInterval = BudgetLimits.readInterval
    /// What the entries of each shard take, as it said last.
    private var residentBytes: [Int]
    private var awaited: Set<ShardIndex> = []

    /// What all shards together may take.
    package internal(set) var budgetBytes: Int
    var stalls = StallMeter()
    /// Since when memory has been calm; `nil` if it is not.
    var calmSince: Instant?
    var calmTime = BudgetLimits.calmTimeMin
    var grownAt: Instant?
    /// Whether the budget has grown since it was last cut because of stalls.
    var hasGrown = false
    /// Whether a bound was ever read.
    var hasBounds = false
    var voice: BudgetVoice

    /// - Parameter configuredBytes: what all shards may take together while memory is not short.
    package init(configuredBytes: Int, shardCount: Int) {
        precondition(
            configuredBytes > 0 && shardCount > 0, "a node has shards, and memory for them")
        self.configuredBytes = min(configuredBytes, BudgetLimits.bytesReach)
        budgetBytes = self.configuredBytes
        residentBytes = Array(repeating: 0, count: shardCount)
        voice = BudgetVoice(budgetBytes: self.configuredBytes)
    }

    var shardCount: Int { residentBytes.count }
    /// What the entries of all shards take.
    var entryBytes: Int { residentBytes.reduce(0, +) }

    /// The shards exist and hold nothing yet.
    package mutating func start(now: Instant, into actions: inout [Action]) {
        dueAt = now.advanced(by: readInterval)
        actions.append(.readKernel)
    }

    /// The moment by which ``tick(now:into:)`` must be called; `nil` if nothing is watched.
    package var nextDeadline: Instant? { dueAt }

    /// Begins a reading if one is due. A shard that has not answered since the last one counts as
    /// it did before.
    package mutating func tick(now: Instant, into actions: inout [Action]) {
        guard let due = dueAt, due <= now else { return }
        dueAt = now.advanced(by: readInterval)
        if !awaited.isEmpty { actions.append(.readKernel) }
        awaited = Set((0..<shardCount).map(ShardIndex.init))
        actions.append(.measureShards)
    }

    /// What the entries of one shard take just now.
    package mutating func measured(
        _ shard: ShardIndex, residentBytes bytes: Int, into actions: inout [Action]
    ) {
        residentBytes[shard.rawValue] = min(max(bytes, 0), BudgetLimits.bytesReach)
        guard awaited.remove(shard) != nil, awaited.isEmpty else { return }
        actions.append(.readKernel)
    }

    /// What the kernel says just now.
    package mutating func read(
        _ sample: MemorySample, now: Instant, into actions: inout [Action]
    ) {
        switch phase {
        case .off: return
        case .starting where sample.isEmpty:
            phase = .off
            dueAt = nil
            actions.append(.report(.nothingToWatch))
        case .starting:
            phase = .watching
            hurry(sample, now: now)
            decide(sample, isFirst: true, now: now, into: &actions)
        case .watching:
            hurry(sample, now: now)
            decide(sample, isFirst: false, now: now, into: &actions)
        }
    }

    /// Looks again soon if little is free.
    private mutating func hurry(_ sample: MemorySample, now: Instant) {
        let isUrgent = sample.bounds.contains {
            let room = Int(Double($0.limitBytes) * BudgetLimits.urgentRoomShare)
            return $0.limitBytes - $0.usedBytes
                < min(room, BudgetLimits.urgentRoomBytesMax)
        }
        readInterval = isUrgent ? BudgetLimits.urgentReadInterval : BudgetLimits.readInterval
        if let due = dueAt { dueAt = min(due, now.advanced(by: readInterval)) }
    }
}
