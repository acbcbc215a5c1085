import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Foundation
import Storage
import Synchronization
import Testing
import TestSupport
import Threading

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A directory of its own for one test, removed with it, and what the log's thread tells.
final class LogBench: Sendable {
    /// What each opening names a log that begins anew.
    private let freshID = Guarded<UInt64>(0xF0)
    static let patience = DispatchTimeInterval.seconds(20)

    private let temporary: TemporaryDirectory
    var directory: String { temporary.path("log") }
    private let news = Guarded<[LogNews]>([])
    private let arrived = DispatchSemaphore(value: 0)
    /// The step that fails, and with which number.
    let fault = Guarded<(step: LogFaults.Step, code: CInt)?>(nil)
    let steps = Guarded<[LogFaults.Step]>([])
    /// Whether a new name cannot be made to last: the synchronization after a `rename` fails.
    let namesFail = Guarded(false)
    /// Steps that fail because the disk is full.
    let fails = Guarded<Set<LogFaults.Step>>([])

    init() throws { temporary = try TemporaryDirectory("log") }

    /// Opens the log; one without a history begins its own, as a publisher without nodes would.
    func open(
        _ change: (inout LogFilesOptions) -> Void = { _ in }
    ) throws -> FileLog {
        var options = LogFilesOptions(
            directory: directory, retention: LogRetention(recordsMax: .max, bytesMax: 1 << 30))
        options.segmentBytes = 2_048
        options.probeInterval = .seconds(3_600)
        options.faults = LogFaults { [fault, steps, fails, namesFail] step in
            let before = steps.withLock { steps in
                steps.append(step)
                return steps.dropLast().last
            }
            if step == .synchronize, before == .rename, namesFail.withLock({ $0 }) { return EIO }
            if fails.withLock({ $0.contains(step) }) { return ENOSPC }
            return fault.withLock { $0?.step == step ? $0?.code ?? 0 : 0 }
        }
        change(&options)
        let id = freshID.withLock { number in
            number += 1
            return LogID(number)
        }
        var log = try FileLog(options, freshID: id) { [news, arrived] in
            news.withLock { [item = $0] in $0.append(item) }
            arrived.signal()
        }
        if !log.hasHistory {
            log.continueHistory(of: log.id, from: Self.start(of: log.id, epoch: 1))
        }
        return log
    }

    static func start(of log: LogID, epoch: UInt32) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: .none),
            digest: LogDigest(startOf: log))
    }

    /// The next thing that the log's thread tells.
    func hear() throws -> LogNews {
        try #require(arrived.wait(timeout: .now() + Self.patience) == .success)
        return news.withLock { $0.removeFirst() }
    }

    /// Removes what a log that is closed has said, so that the next one is not taken for it.
    func discardNews() {
        while arrived.wait(timeout: .now()) == .success { news.withLock { _ = $0.removeFirst() } }
    }

    /// Why the pacings could not be kept; `nil` if they are.
    func hearOfKeeping() throws -> LogFileError? {
        while true {
            if case .kept(.pacings, let error, _) = try hear() { return error }
        }
    }

    struct NodesNews: Equatable {
        var error: LogFileError?
        var isGone: Bool
    }

    /// What became of the lives of nodes.
    func hearOfNodes() throws -> NodesNews {
        while true {
            if case .kept(.nodes, let error, let isGone) = try hear() {
                return NodesNews(error: error, isGone: isGone)
            }
        }
    }

    /// Appends `count` records in one batch and waits until that has ended.
    @discardableResult
    func append(_ count: Int, to log: inout FileLog, tag: String = "t") throws -> LogOutcome {
        let records = try Self.records(count, after: log.head, tag: tag)
        guard case .underWay(let ticket) = try log.append(records, expecting: log.head) else {
            throw Unexpected()
        }
        while true {
            guard case .ended(let outcome) = try hear() else { continue }
            log.finish(outcome)
            #expect(outcome.ticket == ticket)
            return outcome
        }
    }

    static func records(_ count: Int, after mark: LogMark, tag: String = "t") throws
        -> [SealedRecord]
    {
        var mark = mark
        return try (0..<count).map { _ in
            let tag = try #require(Tag(tag))
            let sealed = try sealed([Scope(.tag(tag, in: .default))], after: mark)
            mark = sealed.mark
            return sealed
        }
    }

    static func sealed(_ scopes: [Scope], after mark: LogMark) throws -> SealedRecord {
        try SealedRecord(
            sealing: InvalidationRecord(
                position: mark.position.next, previousDigest: mark.digest, operation: .none,
                strength: .hard, scopes: scopes))
    }

    /// Every record that is kept, in readings of at most `limit`.
    static func everything(in log: FileLog, limit: Int = 7) throws -> [SealedRecord] {
        var records: [SealedRecord] = []
        var after = SequenceNumber(log.tail.rawValue - 1)
        while after < log.head.position.sequence {
            let read = try #require(log.read(after: after, limit: limit))
            after = try #require(read.last).position.sequence
            records += read
        }
        return records
    }

    // MARK: Files

    var segments: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasSuffix(".segment") }.sorted()
        }
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Changes a file without making another one of it.
    func change(_ name: String, _ body: (inout [UInt8]) -> Void) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path(name)))
        defer { try? file.close() }
        var bytes = [UInt8](try file.readToEnd() ?? Data())
        body(&bytes)
        try file.truncate(atOffset: 0)
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(bytes))
    }

    /// Leaves a log that was closed as if its process had been killed when the log was opened.
    func forgetTheEnd(openedAt mark: LogMark) throws {
        try change("stamp") { bytes in
            guard var stamp = bytes.withUnsafeBytes({ LogStamp($0) }) else { return }
            stamp.isClosed = false
            stamp.mark = mark
            bytes = stamp.encoded
        }
    }

    struct Unexpected: Error {}
}

extension LogStamp {
    var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.array
    }
}
