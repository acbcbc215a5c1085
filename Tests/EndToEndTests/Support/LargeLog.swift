import CacheInvalidation
import CacheModel
import CacheWire
import Dispatch
import LogFiles
import Testing

/// A log that a publisher may find, longer than one that it could read in a moment.
enum LargeLog {
    /// Full segments, each read in seconds by a program that is not optimised.
    static let segments = 6
    private static let segmentBytes = 16 << 20

    /// Makes it, closed in order, with little in its last segment.
    static func make(in directory: String) throws {
        var options = LogFilesOptions(
            directory: directory,
            retention: LogRetention(recordsMax: .max, bytesMax: 1 << 30))
        options.segmentBytes = segmentBytes
        options.sync = .none
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
        while segmentCount() <= UInt64(segments) {
            let batch = try records(16, after: log.head)
            guard case .underWay(let ticket) = try log.append(batch, expecting: log.head) else {
                continue
            }
            ended.wait()
            log.finish(LogOutcome(ticket: ticket))
        }
        log.keeper.close()
    }

    /// The longest there are, so that they are made quickly.
    private static func records(_ count: Int, after mark: LogMark) throws -> [SealedRecord] {
        var mark = mark
        return try (0..<count).map { _ in
            let scopes = try (0..<15).map { number in
                let bytes = [UInt8](repeating: UInt8(number), count: CacheKey.bytesMax)
                return Scope(.key(try #require(CacheKey(bytes: bytes)), in: .default))
            }
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: mark.position.next, previousDigest: mark.digest, operation: .none,
                    strength: .hard, scopes: scopes))
            mark = sealed.mark
            return sealed
        }
    }
}
