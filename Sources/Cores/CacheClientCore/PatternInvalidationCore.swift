package import CacheModel
package import CacheWire

/// An invalidation of the keys that match a pattern: which page, which record or which pause is
/// next. docs/decisions/0103 gives the reasons.
///
///     next ─▶ scan ────────▶ listed ───────▶ keys that match and are new ─▶ batches
///        │                 └ scanFailed ───▶ again, or its node is given up
///        ├──▶ invalidate ──▶ invalidated ──▶ the next page
///        │                 └ recordFailed ─▶ again, or the run has failed
///        ├──▶ rest
///        └──▶ ended
///
/// One step is under way at a time: ``next(now:)`` gives the same step until its end was told.
/// Shards are scanned one after the other, each in pages from cursor 0. A batch is invalidated when
/// it is full and at the end of each shard.
///
/// Sans-I/O: the caller passes the time.
package struct PatternInvalidationCore: Sendable {
    package enum Step: Equatable, Sendable {
        /// Ask a shard of a node, by their indices, for the page at `cursor`.
        case scan(node: Int, shard: Int, cursor: UInt64)
        /// Have the publisher invalidate these keys: 1 to 1 000, which fit one record.
        case invalidate([CacheKey])
        case rest(until: Instant)
        case ended
    }

    /// What a failure says about the next attempt.
    package enum Failure: Equatable, Sendable {
        case passing
        /// It fails for this node or record.
        case lasting
        case final
    }

    package enum Ending: Equatable, Sendable {
        /// Every shard was listed or given up, and every match was sent.
        case finished
        case stopped
        /// A record was not accepted, or no shard can be asked.
        case failed
    }

    package struct Node: Equatable, Sendable {
        package let id: NodeID
        package let shardCount: Int
        package fileprivate(set) var shardsListed = 0
        /// Keys that the node listed, matches among them, and the bytes of the matches' values.
        package fileprivate(set) var listedCount = 0
        package fileprivate(set) var matchedCount = 0
        package fileprivate(set) var matchedBytes = 0
        /// Whether the rest of it is left out.
        package fileprivate(set) var isGivenUp = false

        package init(_ id: NodeID, shardCount: Int) {
            self.id = id
            self.shardCount = shardCount
            isGivenUp = shardCount == 0
        }

        /// Whether each of its shards was listed to its end.
        package var isScanned: Bool { !isGivenUp && shardsListed == shardCount }
    }

    package struct Plan: Sendable {
        package var pattern: KeyGlob
        package var namespace: Namespace
        /// 1 to 1 000 000.
        package var keysPerSecond: Int
        package var isDryRun = false

        package init(_ pattern: KeyGlob, in namespace: Namespace, keysPerSecond: Int) {
            self.pattern = pattern
            self.namespace = namespace
            self.keysPerSecond = keysPerSecond
        }
    }

    package struct Totals: Equatable, Sendable {
        /// Matching keys, each once as far as is remembered.
        package fileprivate(set) var keyCount = 0
        package fileprivate(set) var invalidatedCount = 0
        package fileprivate(set) var recordCount = 0
        /// Records with a receipt that did not reach what was waited for.
        package fileprivate(set) var incompleteCount = 0
        /// Keys of a record that was not answered.
        package fileprivate(set) var inDoubtCount = 0
    }

    private let pattern: KeyGlob
    private let isDryRun: Bool
    private let interval: Duration
    package private(set) var nodes: [Node]
    package private(set) var totals = Totals()
    package private(set) var ending: Ending?
    private var named: NamedKeys
    private var batches: KeyBatches
    /// The record that was sent, until its end is told.
    private var underway: [CacheKey] = []
    private var isInDoubt = false
    private var nodeIndex = 0
    private var cursor: UInt64 = 0
    /// Failed attempts at the current step.
    private var failureCount = 0
    /// When the failed step is tried again.
    private var triesAt: Instant
    /// When the pace lets the next record through.
    private var dueAt: Instant

    /// - Parameter nodes: those to scan, in this order.
    package init(_ plan: Plan, nodes: [Node], now: Instant) {
        self.init(plan, nodes: nodes, named: NamedKeys(), now: now)
    }

    init(_ plan: Plan, nodes: [Node], named: NamedKeys, now: Instant) {
        precondition(plan.keysPerSecond > 0, "at no key a second nothing ends")
        pattern = plan.pattern
        isDryRun = plan.isDryRun
        self.nodes = nodes
        self.named = named
        interval = .nanoseconds(1_000_000_000 / Int64(plan.keysPerSecond))
        batches = KeyBatches(
            keysMax: max(1, plan.keysPerSecond / ClientLimits.batchesPerSecond),
            in: plan.namespace)
        triesAt = now
        dueAt = now
        skipGivenUp()
    }

    /// Whether counts of keys are exact; else they are upper bounds.
    package var isExact: Bool { !named.isFull }

    // MARK: Steps

    package mutating func next(now: Instant) -> Step {
        guard ending == nil else { return .ended }
        if now < triesAt { return .rest(until: triesAt) }
        if !underway.isEmpty { return .invalidate(underway) }
        // At cursor 0 whatever waits is of the shards before.
        if batches.isFull || cursor == 0 && !batches.isEmpty {
            if now < dueAt { return .rest(until: dueAt) }
            underway = batches.take()
            dueAt = now.advanced(by: interval * underway.count)
            return .invalidate(underway)
        }
        guard nodeIndex < nodes.count else {
            ending = .finished
            return .ended
        }
        return .scan(
            node: nodeIndex, shard: nodes[nodeIndex].shardsListed, cursor: cursor)
    }

    /// Ends it before the next step. Keys that were not sent stay as they are.
    package mutating func stop() {
        if isInDoubt { totals.inDoubtCount += underway.count }
        settleRecord()
        end(.stopped)
    }

    private mutating func end(_ ending: Ending) {
        if self.ending == nil { self.ending = ending }
    }

    // MARK: Pages

    /// The shard has answered with a page.
    ///
    /// - Complexity: O(keys × bytes of key and pattern), see ``CacheModel/KeyGlob``.
    package mutating func listed(_ page: ScanPage) {
        failureCount = 0
        nodes[nodeIndex].listedCount += page.lines.count
        for line in page.lines where pattern.matches(line.key) {
            nodes[nodeIndex].matchedCount += 1
            nodes[nodeIndex].matchedBytes += line.valueBytes
            guard named.insert(line.key) else { continue }
            totals.keyCount += 1
            if !isDryRun { batches.append(line.key) }
        }
        cursor = page.nextCursor
        guard cursor == 0 else { return }
        nodes[nodeIndex].shardsListed += 1
        if nodes[nodeIndex].shardsListed == nodes[nodeIndex].shardCount { nodeIndex += 1 }
        skipGivenUp()
    }

    /// The shard has not answered, or cannot.
    ///
    /// - Returns: whether its node is given up.
    @discardableResult
    package mutating func scanFailed(_ failure: Failure, now: Instant) -> Bool {
        failureCount += 1
        switch failure {
        case .passing where failureCount < ClientLimits.patternTriesMax:
            triesAt = now.advanced(by: pause)
            return false
        case .passing, .lasting:
            nodes[nodeIndex].isGivenUp = true
            (cursor, failureCount) = (0, 0)
            skipGivenUp()
            return true
        case .final:
            end(.failed)
            return true
        }
    }

    private mutating func skipGivenUp() {
        while nodeIndex < nodes.count, nodes[nodeIndex].isGivenUp { nodeIndex += 1 }
    }

    // MARK: Records

    /// The record is in the log.
    ///
    /// - Parameter isComplete: whether its receipt reached what was waited for.
    package mutating func invalidated(isComplete: Bool) {
        totals.recordCount += 1
        totals.invalidatedCount += underway.count
        if !isComplete { totals.incompleteCount += 1 }
        settleRecord()
    }

    /// The publisher has not answered, or has refused the record.
    ///
    /// - Parameter mayHaveHappened: whether it may be in the log all the same.
    package mutating func recordFailed(
        _ failure: Failure, mayHaveHappened: Bool, now: Instant
    ) {
        failureCount += 1
        isInDoubt = isInDoubt || mayHaveHappened
        if failure == .passing, failureCount < ClientLimits.patternTriesMax {
            triesAt = now.advanced(by: pause)
            return
        }
        if isInDoubt { totals.inDoubtCount += underway.count }
        settleRecord()
        end(.failed)
    }

    private mutating func settleRecord() {
        underway = []
        isInDoubt = false
        failureCount = 0
    }

    /// Doubles with each failure in a row.
    private var pause: Duration {
        ClientLimits.patternPause * Int(1 << min(failureCount - 1, 6))
    }
}
