import CacheModel
import CacheWire
import Testing

@testable import CacheClientCore

/// What is asked for, and when, as transcripts: each step, and what came of it.
@Suite struct PatternInvalidationCoreTests {
    private let names: [NodeID]

    init() throws { names = try ["n1", "n2", "n3"].map { try #require(NodeID($0)) } }

    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private func keys(_ texts: String...) throws -> [CacheKey] {
        try texts.map { try #require(CacheKey($0)) }
    }

    private func page(_ texts: [String], next: UInt64 = 0) throws -> ScanPage {
        var page = ScanPage(nextCursor: next, entryCount: 0, entryBytes: 0)
        page.lines = try texts.map {
            ScanPage.Line(
                key: try #require(CacheKey($0)), valueBytes: 10, ttlMilliseconds: nil)
        }
        return page
    }

    private func core(
        _ pattern: String = "a*", shards: [Int] = [1], rate: Int = 4_000, isDryRun: Bool = false,
        named: NamedKeys = NamedKeys()
    ) throws -> PatternInvalidationCore {
        var plan = PatternInvalidationCore.Plan(
            try KeyGlob(Array(pattern.utf8)), in: .default, keysPerSecond: rate)
        plan.isDryRun = isDryRun
        let nodes = zip(names, shards).map { PatternInvalidationCore.Node($0, shardCount: $1) }
        return PatternInvalidationCore(plan, nodes: nodes, named: named, now: at(0))
    }

    @Test func everyShardIsListedToItsEndAndWhatMatchesIsInvalidated() throws {
        var core = try core(shards: [2, 1])
        #expect(core.next(now: at(0)) == .scan(node: 0, shard: 0, cursor: 0))
        core.listed(try page(["a1", "b1"], next: 7))
        #expect(core.next(now: at(0)) == .scan(node: 0, shard: 0, cursor: 7))
        core.listed(try page(["a2"]))
        // At the end of a shard nothing waits any longer.
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1", "a2")))
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1", "a2")), "until it is answered")
        core.invalidated(isComplete: true)
        #expect(core.next(now: at(0)) == .scan(node: 0, shard: 1, cursor: 0))
        core.listed(try page(["b2"]))
        #expect(core.next(now: at(0)) == .scan(node: 1, shard: 0, cursor: 0))
        core.listed(try page([]))
        #expect(core.next(now: at(0)) == .ended && core.ending == .finished)
        #expect(core.nodes.map(\.listedCount) == [4, 0])
        #expect(core.nodes.map(\.matchedCount) == [2, 0] && core.nodes[0].matchedBytes == 20)
        #expect(core.nodes.map(\.isScanned) == [true, true])
        #expect(core.totals.invalidatedCount == 2 && core.totals.recordCount == 1)
    }

    @Test func aKeyThatIsListedTwiceIsInvalidatedOnce() throws {
        var core = try core(shards: [1, 1])
        _ = core.next(now: at(0))
        // The table grew, and the same part of it was listed again.
        core.listed(try page(["a1"], next: 3))
        core.listed(try page(["a1", "a2"]))
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1", "a2")))
        core.invalidated(isComplete: true)
        _ = core.next(now: at(0))
        // A replica has the same keys, and one of its own.
        core.listed(try page(["a2", "a1", "a3"]))
        #expect(try core.next(now: at(1_000)) == .invalidate(keys("a3")))
        core.invalidated(isComplete: true)
        #expect(core.next(now: at(1_000)) == .ended)
        #expect(core.totals.keyCount == 3 && core.totals.invalidatedCount == 3 && core.isExact)
        #expect(core.nodes.map(\.matchedCount) == [3, 3])
    }

    @Test func keysBeyondTheNameLimitMakeCountsUpperBounds() throws {
        var core = try core(
            shards: [1, 1], isDryRun: true, named: NamedKeys(keysMax: 1, bytesMax: 100))
        core.listed(try page(["a1", "a2"]))
        core.listed(try page(["a1", "a2"]))
        #expect(core.totals.keyCount == 3 && !core.isExact)
    }

    @Test func rememberedKeysAreBoundedByTheirBytesToo() throws {
        var named = NamedKeys(keysMax: 10, bytesMax: 3)
        let (long, short) = (try keys("abc")[0], try keys("x")[0])
        #expect(named.insert(long) && !named.insert(long) && !named.isFull)
        #expect(named.insert(short) && named.insert(short) && named.isFull)
    }

    @Test func aDryRunCountsAndInvalidatesNothing() throws {
        var core = try core(isDryRun: true)
        _ = core.next(now: at(0))
        core.listed(try page(["a1", "b", "a2"]))
        #expect(core.next(now: at(0)) == .ended && core.ending == .finished)
        #expect(core.totals.keyCount == 2 && core.totals.invalidatedCount == 0)
    }

    // MARK: Pace

    @Test func recordsHoldAQuarterSecondOfKeysAndFollowTheRate() throws {
        var core = try core(rate: 8)
        _ = core.next(now: at(0))
        core.listed(try page(["a1", "a2", "a3"], next: 9))
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1", "a2")))
        core.invalidated(isComplete: true)
        // No record is due before 250 ms; meanwhile it scans.
        #expect(core.next(now: at(10)) == .scan(node: 0, shard: 0, cursor: 9))
        core.listed(try page([]))
        #expect(core.next(now: at(20)) == .rest(until: at(250)))
        #expect(core.next(now: at(249)) == .rest(until: at(250)))
        #expect(try core.next(now: at(250)) == .invalidate(keys("a3")))
        core.invalidated(isComplete: true)
        #expect(core.next(now: at(251)) == .ended)
    }

    @Test func whatWasNotSentInTimeIsNotMadeUpFor() throws {
        var core = try core(rate: 4)
        _ = core.next(now: at(0))
        core.listed(try page(["a1", "a2", "a3"]))
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1")))
        core.invalidated(isComplete: true)
        #expect(try core.next(now: at(5_000)) == .invalidate(keys("a2")))
        core.invalidated(isComplete: true)
        #expect(core.next(now: at(5_001)) == .rest(until: at(5_250)))
    }

    @Test func aBatchIsLimitedByKeyCountAndRecordBytes() throws {
        var batches = KeyBatches(keysMax: 5_000, in: .default)
        for number in 0..<1_200 { batches.append(try keys("key \(number)")[0]) }
        #expect(batches.isFull && batches.take().count == 1_000)
        #expect(!batches.isFull && batches.take().count == 200 && batches.isEmpty)
        let long = [UInt8](repeating: 1, count: CacheKey.bytesMax)
        for _ in 0..<20 { batches.append(try #require(CacheKey(bytes: long))) }
        #expect(batches.isFull)
        var sizes: [Int] = []
        while !batches.isEmpty { sizes.append(batches.take().count) }
        #expect(sizes == [15, 5])
    }

    /// A page seldom ends with a batch, so the queue is seldom empty.
    @Test func keysThatWereTakenAreNotRetained() throws {
        var batches = KeyBatches(keysMax: 4, in: .default)
        var (appended, taken): ([CacheKey], [CacheKey]) = ([], [])
        for page in 0..<50 {
            for number in 0..<5 {
                appended += try keys("\(page) \(number)")
                batches.append(appended[appended.count - 1])
            }
            while batches.isFull { taken += batches.take() }
            #expect(batches.waiting.count <= 8, "page \(page)")
        }
        while !batches.isEmpty { taken += batches.take() }
        #expect(taken == appended && batches.waiting.isEmpty)
    }

    // MARK: Nodes that do not answer

    @Test func aNodeIsSkippedAfterThreeFailedScansOfAPage() throws {
        var core = try core(shards: [2, 1])
        _ = core.next(now: at(0))
        core.listed(try page(["a1"], next: 5))
        let gaveUp = core.scanFailed(.passing, now: at(0))
        #expect(!gaveUp && core.next(now: at(0)) == .rest(until: at(500)))
        #expect(core.next(now: at(500)) == .scan(node: 0, shard: 0, cursor: 5))
        core.scanFailed(.passing, now: at(500))
        #expect(core.next(now: at(500)) == .rest(until: at(1_500)))
        let gaveUpAtLast = core.scanFailed(.passing, now: at(1_500))
        #expect(gaveUpAtLast)
        // What it has listed is invalidated all the same, and the other node is scanned.
        #expect(try core.next(now: at(1_500)) == .invalidate(keys("a1")))
        core.invalidated(isComplete: true)
        #expect(core.next(now: at(1_500)) == .scan(node: 1, shard: 0, cursor: 0))
        core.listed(try page([]))
        #expect(core.next(now: at(1_500)) == .ended && core.ending == .finished)
        #expect(core.nodes.map(\.isScanned) == [false, true])
    }

    @Test func onlyConsecutiveScanFailuresCount() throws {
        var core = try core()
        core.scanFailed(.passing, now: at(0))
        core.listed(try page([], next: 2))
        // Failures count in a row only.
        for _ in 0..<2 { core.scanFailed(.passing, now: at(0)) }
        core.listed(try page([]))
        #expect(core.nodes[0].isScanned)
    }

    @Test func aNodeThatAnswersNonsenseIsNotAskedAgain() throws {
        var core = try core(shards: [3, 1])
        let gaveUp = core.scanFailed(.lasting, now: at(0))
        #expect(gaveUp && core.next(now: at(0)) == .scan(node: 1, shard: 0, cursor: 0))
    }

    @Test func aNodeWithoutShardsIsNeverScanned() throws {
        var core = try core(shards: [0, 1, 0])
        #expect(core.next(now: at(0)) == .scan(node: 1, shard: 0, cursor: 0))
        core.listed(try page([]))
        #expect(core.next(now: at(0)) == .ended)
        #expect(core.nodes.map(\.isScanned) == [false, true, false])
    }

    @Test func whatFailsEverywhereEndsTheRun() throws {
        var core = try core(shards: [1, 1])
        core.scanFailed(.final, now: at(0))
        #expect(core.next(now: at(0)) == .ended && core.ending == .failed)
    }

    // MARK: Records

    @Test func aRecordIsTriedThreeTimesAndThenTheRunHasFailed() throws {
        var core = try core(shards: [1, 1])
        core.listed(try page(["a1", "a2"]))
        let record = PatternInvalidationCore.Step.invalidate(try keys("a1", "a2"))
        #expect(core.next(now: at(0)) == record)
        core.recordFailed(.passing, mayHaveHappened: true, now: at(0))
        #expect(core.next(now: at(0)) == .rest(until: at(500)))
        #expect(core.next(now: at(500)) == record, "the same keys")
        core.recordFailed(.passing, mayHaveHappened: false, now: at(500))
        #expect(core.next(now: at(1_500)) == record)
        core.recordFailed(.passing, mayHaveHappened: false, now: at(1_500))
        #expect(core.next(now: at(9_000)) == .ended && core.ending == .failed)
        // The first attempt may be in the log.
        #expect(core.totals.inDoubtCount == 2 && core.totals.invalidatedCount == 0)
    }

    @Test func aRecordAcceptedAtTheSecondAttemptIsNotInDoubt() throws {
        var core = try core()
        core.listed(try page(["a1"]))
        _ = core.next(now: at(0))
        core.recordFailed(.passing, mayHaveHappened: true, now: at(0))
        #expect(try core.next(now: at(500)) == .invalidate(keys("a1")))
        core.invalidated(isComplete: false)
        #expect(core.next(now: at(500)) == .ended && core.ending == .finished)
        #expect(core.totals.inDoubtCount == 0 && core.totals.invalidatedCount == 1)
        #expect(core.totals.incompleteCount == 1)
    }

    @Test(arguments: [PatternInvalidationCore.Failure.lasting, .final])
    func aRefusedRecordIsNotSentAgain(failure: PatternInvalidationCore.Failure) throws {
        var core = try core()
        core.listed(try page(["a1"]))
        _ = core.next(now: at(0))
        core.recordFailed(failure, mayHaveHappened: false, now: at(0))
        #expect(core.next(now: at(0)) == .ended && core.ending == .failed)
        #expect(core.totals.inDoubtCount == 0)
    }

    // MARK: Stopping

    @Test func aRunThatIsStoppedSendsAndScansNothingMore() throws {
        var core = try core(shards: [1, 1], rate: 4)
        core.listed(try page(["a1", "a2"]))
        #expect(try core.next(now: at(0)) == .invalidate(keys("a1")))
        core.invalidated(isComplete: true)
        core.stop()
        #expect(core.next(now: at(9_000)) == .ended && core.ending == .stopped)
        #expect(core.totals.keyCount == 2 && core.totals.invalidatedCount == 1)
        #expect(core.nodes.map(\.isScanned) == [true, false])
    }

    @Test func aRecordThatWasNotAnsweredBeforeTheStopIsInDoubt() throws {
        var core = try core()
        core.listed(try page(["a1"]))
        _ = core.next(now: at(0))
        core.recordFailed(.passing, mayHaveHappened: true, now: at(0))
        core.stop()
        #expect(core.totals.inDoubtCount == 1 && core.ending == .stopped)
    }
}
