import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

@Suite struct LogAppenderTests {
    /// An appender, its log, and what its owner keeps beside them.
    private struct Bench: ~Copyable {
        var appender = LogAppender()
        var log: SlowLog
        var shares = WaitShares()
        var output = PublisherOutput()

        init() {
            log = SlowLog(MemoryLog(id: Cluster.freshID, decode: SealedRecord.kept))
            log.continueHistory(of: Cluster.freshID, from: .at(0))
        }

        mutating func insert(_ operation: UInt64) {
            let request = InvalidateRequest(
                scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 0,
                operation: OperationID(high: 1, low: operation))
            appender.insert(QueuedRequest(origin: .echo, request: request))
        }

        mutating func append() -> LogAppender.Outcome {
            appender.append(
                to: &log, guards: .all, holders: nil, shares: &shares, output: &output)
        }
    }

    private static func positions(_ placed: [PlacedRequest]) -> [LogPosition] {
        placed.map(\.position)
    }

    @Test func aRepeatedOperationGetsItsFirstPosition() throws {
        var bench = Bench()
        for operation: UInt64 in [1, 2, 1] { bench.insert(operation) }
        guard case .done(let batch, let placed) = bench.append() else {
            Issue.record("the log takes everything")
            return
        }
        #expect(batch.count == 2)
        #expect(Self.positions(placed) == [.at(1), .at(2), .at(1)])
        bench.appender.remember(batch, now: .seconds(0))
        bench.insert(2)
        guard case .nothingNew(let again) = bench.append() else {
            Issue.record("the operation is known")
            return
        }
        #expect(Self.positions(again) == [.at(2)])
        #expect(bench.output.statistics.repetitions == 2)
    }

    @Test func aSupersededAppendIsQueuedAgainBeforeLaterRequests() throws {
        var bench = Bench()
        bench.log.isSlow = true
        bench.insert(1)
        guard case .underWay = bench.append(), let ticket = bench.log.ticket else {
            Issue.record("the log is slow")
            return
        }
        bench.insert(2)
        #expect(bench.appender.count == 2)
        bench.log.open(Epoch(2))
        bench.appender.requeueUnderWay(isUncertain: false, shares: &bench.shares)
        #expect(bench.appender.queue.map(\.request.operation.low) == [1, 2])
        let isKnown = bench.appender.takeFinished(ticket) != nil
        #expect(!isKnown, "its requests are numbered anew")
    }
}
