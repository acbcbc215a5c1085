package import CacheModel

/// The memory budget of a node's entries: the configured memory, or less while memory is short.
///
/// The control thread owns it. Once a second, and more often while little is free, it asks the
/// shards for the size of their entries, has the kernel's files read once the last has answered,
/// and passes on both:
///
///     tick ──▶ measureShards ─ ─ measured × shards ──▶ readKernel ─ ─ read ──▶ setBudget
///
/// ### The law
/// The memory that the process and its neighbours use apart from entries does not depend on the
/// budget. So
///
///     budget = limit − headroom − (used − entries)
///
/// leaves the headroom free even when the entries fill the budget, and does not change while they
/// do: the node shrinks before the limit is reached, not at it. Of several bounds the tightest
/// counts. If tasks wait for memory all the same, as under a bound that cannot be read, the budget
/// is reduced by shares until they do not.
///
/// It shrinks at once and grows slowly, after a calm time, and ignores small differences. It always
/// stays between a floor and the configured memory.
///
/// It reads no file and no clock, and evicts nothing: each shard evicts, in slices.
package struct BudgetGovernor: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask every shard for the size of its entries.
        case measureShards
        /// Read the kernel's memory files, and call ``read(_:now:into:)``.
        case readKernel
        /// The new budget of all shards together.
        case setBudget(bytes: Int)
        case report(BudgetReport)
    }

    enum Phase: Sendable {
        /// Nothing was read yet. Becomes `watching` or `off`.
        case starting
        case watching
        /// The first reading found no source. Final.
        case off
    }

    let configuredBytes: Int
    private(set) var phase = Phase.starting
    private var dueAt: Instant?
    /// Shorter while little is free.
    private var readInterval = BudgetLimits.readInterval
    /// The size of each shard's entries, as last reported.
    private var residentBytes: [Int]
    private var awaited: Set<ShardIndex> = []

    /// The budget of all shards together.
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
    var voice: BudgetReporter

    /// - Parameter configuredBytes: the budget of all shards together while memory is not short.
    package init(configuredBytes: Int, shardCount: Int) {
        precondition(
            configuredBytes > 0 && shardCount > 0, "a node has shards, and memory for them")
        self.configuredBytes = min(configuredBytes, BudgetLimits.bytesReach)
        budgetBytes = self.configuredBytes
        residentBytes = Array(repeating: 0, count: shardCount)
        voice = BudgetReporter(budgetBytes: self.configuredBytes)
    }

    var shardCount: Int { residentBytes.count }
    /// The size of all shards' entries.
    var entryBytes: Int { residentBytes.reduce(0, +) }

    /// The shards exist and are empty.
    package mutating func start(now: Instant, into actions: inout [Action]) {
        dueAt = now.advanced(by: readInterval)
        actions.append(.readKernel)
    }

    /// When ``tick(now:into:)`` must be called; `nil` if nothing is watched.
    package var nextDeadline: Instant? { dueAt }

    /// Begins a reading if one is due. A shard that has not answered since the last one counts with
    /// its old size.
    package mutating func tick(now: Instant, into actions: inout [Action]) {
        guard let due = dueAt, due <= now else { return }
        dueAt = now.advanced(by: readInterval)
        if !awaited.isEmpty { actions.append(.readKernel) }
        awaited = Set((0..<shardCount).map(ShardIndex.init))
        actions.append(.measureShards)
    }

    /// The current size of one shard's entries.
    package mutating func measured(
        _ shard: ShardIndex, residentBytes bytes: Int, into actions: inout [Action]
    ) {
        residentBytes[shard.rawValue] = min(max(bytes, 0), BudgetLimits.bytesReach)
        guard awaited.remove(shard) != nil, awaited.isEmpty else { return }
        actions.append(.readKernel)
    }

    /// The kernel's current memory sample.
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

    /// Reads again soon if little is free.
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

/// Computes the share of waiting time per interval from a running total that is read at times.
struct StallMeter: Sendable {
    private var last: (stalled: Duration, at: Instant)?
    private var share = 0.0
    private var stalledReadings = 0

    /// Enough consecutive readings were stalled.
    var areMany: Bool { stalledReadings >= BudgetLimits.stalledReadingsMin }

    /// The share of the time since the last reading, 0 to 1. Two readings close together count as
    /// one; a total that is missing, or has fallen because it is another source's, gives no share.
    mutating func share(_ stalled: Duration?, now: Instant) -> Double {
        guard let stalled, let (before, then) = last, before <= stalled else {
            last = stalled.map { ($0, now) }
            stalledReadings = 0
            share = 0
            return share
        }
        let elapsed = now.elapsed(since: then)
        guard elapsed >= BudgetLimits.stallWindowMin else { return share }
        last = (stalled, now)
        share = min((stalled - before) / elapsed, 1)
        stalledReadings = share >= BudgetLimits.stallShareMax ? stalledReadings + 1 : 0
        return share
    }
}

/// Reports changes of the budget; several in a row are reported as one.
struct BudgetReporter: Sendable {
    /// The budget when it was last reported.
    private var saidBytes: Int
    private var saidAt: Instant?
    private var cause: BudgetReport.Cause = .calm
    private var isAtFloor = false

    init(budgetBytes: Int) {
        saidBytes = budgetBytes
    }

    mutating func noteChange(_ cause: BudgetReport.Cause) { self.cause = cause }

    /// Another report has stated this budget.
    mutating func noteSaid(_ budgetBytes: Int) { saidBytes = budgetBytes }

    /// Reports once that the floor is too high, until it has been low enough with a margin.
    mutating func noteFloor(
        _ floor: Int, _ tightest: BudgetGovernor.Allowance?, _ budgetBytes: Int,
        into actions: inout [BudgetGovernor.Action]
    ) {
        guard let tightest, tightest.bytes < floor + tightest.slackBytes else {
            isAtFloor = false
            return
        }
        guard !isAtFloor, tightest.bytes < floor, budgetBytes <= floor else { return }
        isAtFloor = true
        actions.append(.report(.atFloor(bytes: budgetBytes, tightest.bound)))
    }

    mutating func speak(
        _ budgetBytes: Int, now: Instant, into actions: inout [BudgetGovernor.Action]
    ) {
        guard budgetBytes != saidBytes else { return }
        if let saidAt, now.elapsed(since: saidAt) < BudgetLimits.reportInterval { return }
        actions.append(.report(.changed(fromBytes: saidBytes, toBytes: budgetBytes, cause)))
        saidBytes = budgetBytes
        saidAt = now
    }
}
