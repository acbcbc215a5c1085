import CacheInvalidation
import CacheModel
import Foundation
import Storage
import Testing
import TestSupport

/// A log on disk whose appends wait for their end, as one in memory has it.
private struct WaitingLog: InvalidationLog {
    /// The directory goes away with the last copy.
    private final class Place: Sendable {
        private let directory: TemporaryDirectory
        let keeper: LogKeeper

        init(_ make: (String) throws -> LogKeeper) throws {
            directory = try TemporaryDirectory("log")
            keeper = try make(directory.path("log"))
        }

        deinit { keeper.close() }
    }

    private var log: FileLog
    private let place: Place
    private let box: Box

    private final class Box: Sendable {
        let outcome = NSCondition()
        nonisolated(unsafe) var news: [LogNews] = []  // Only under the lock, on any thread.

        func post(_ item: LogNews) {
            outcome.withLock {
                news.append(item)
                outcome.signal()
            }
        }

        func next() -> LogNews? {
            outcome.withLock {
                let deadline = Date() + 20
                while news.isEmpty { if !outcome.wait(until: deadline) { return nil } }
                return news.removeFirst()
            }
        }
    }

    init() throws {
        let box = Box()
        var made: FileLog?
        place = try Place { path in
            let log = try FileLog(
                LogFilesOptions(
                    directory: path, retention: LogRetention(recordsMax: 100, bytesMax: 1 << 20)),
                freshID: Chain.log, tell: box.post)
            made = log
            return log.keeper
        }
        self.box = box
        log = try #require(made)
    }

    var id: LogID { log.id }
    var head: LogMark { log.head }
    var tail: SequenceNumber { log.tail }
    var hasHistory: Bool { log.hasHistory }
    var outlivesItsProcess: Bool { log.outlivesItsProcess }
    var inheritedLease: Duration? { log.inheritedLease }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        log.continueHistory(of: id, from: head)
    }

    mutating func open(_ epoch: Epoch) { log.open(epoch) }

    @discardableResult
    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress {
        _ = try log.append(batch, expecting: head)
        while let news = box.next() {
            guard case .ended(let outcome) = news else { continue }
            log.finish(outcome)
            if let refusal = outcome.refusal { throw refusal }
            return .done
        }
        throw .storage("the log did not answer")
    }

    mutating func finish(_ outcome: LogOutcome) {}

    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        log.read(after: sequence, limit: limit)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? { log.digest(at: sequence) }
}

@Suite struct FileLogConformanceTests {
    @Test func aLogOnDiskConforms() throws {
        try InvalidationLogConformance { try WaitingLog() }.check()
    }
}
