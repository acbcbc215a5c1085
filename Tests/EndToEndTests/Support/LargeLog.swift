import CacheInvalidation
import CacheModel
import CacheWire
import Dispatch
import Storage
import Testing

/// A log that a publisher may find, longer than one that it could read in a moment.
enum LargeLog {
    /// Full segments: reading all of them takes many times as long as starting a process, also
    /// on a fast machine.
    static let segments = 24
    private static let recordsAtOnce = 256
    private static let segmentBytes = 8 << 20

    /// Makes it, closed in order.
    static func make(in directory: String) throws {
        var options = LogFilesOptions(
            directory: directory,
            retention: LogRetention(recordsMax: .max, bytesMax: 1 << 30))
        options.segmentBytes = segmentBytes
        options.sync = .none
        options.unknownLeaseMilliseconds = 0
        let ended = DispatchSemaphore(value: 0)
        var log = try FileLog(options, freshID: LogID(0xB16)) { news in
            if case .ended = news { ended.signal() }
        }
        log.continueHistory(
            of: log.id,
            from: LogMark(
                position: LogPosition(epoch: Epoch(1), sequence: .none),
                digest: LogDigest(startOf: log.id)))
        func segmentCount() -> UInt64 {
            log.figures.first { $0.name == "log_segments" }?.value ?? 0
        }
        // What a start recalls of the newest records lies in the last segment.
        var left = InvalidationLimits.operationsRecalledMax / recordsAtOnce + 1
        while left > 0 {
            if segmentCount() > UInt64(segments) { left -= 1 }
            let batch = try records(recordsAtOnce, after: log.head)
            guard case .underWay(let ticket) = try log.append(batch, expecting: log.head) else {
                continue
            }
            ended.wait()
            log.finish(LogOutcome(ticket: ticket))
        }
        log.keeper.close()
    }

    /// About a KiB each.
    private static func records(_ count: Int, after mark: LogMark) throws -> [SealedRecord] {
        let key = try #require(CacheKey(bytes: [UInt8](repeating: 7, count: 1_000)))
        var mark = mark
        return try (0..<count).map { _ in
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: mark.position.next, previousDigest: mark.digest, operation: .none,
                    strength: .hard, scopes: [Scope(.key(key, in: .default))]))
            mark = sealed.mark
            return sealed
        }
    }
}
