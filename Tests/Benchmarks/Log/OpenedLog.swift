import CacheInvalidation
import CacheModel
import Dispatch
import Storage
import Threading

/// A log on disk, and what its thread tells.
struct OpenedLog {
    var log: FileLog
    private let news: Guarded<[LogNews]>
    private let arrived: DispatchSemaphore

    init(_ directory: String, mebibytesKept: Int) throws {
        let news = Guarded<[LogNews]>([])
        let arrived = DispatchSemaphore(value: 0)
        var options = LogFilesOptions(
            directory: directory,
            retention: LogRetention(recordsMax: .max, bytesMax: mebibytesKept << 20))
        options.sync = .interval
        log = try FileLog(options, freshID: LogID(0xBE7C)) { item in
            news.withLock { $0.append(item) }
            arrived.signal()
        }
        self.news = news
        self.arrived = arrived
        if !log.hasHistory {
            log.continueHistory(
                of: log.id,
                from: LogMark(
                    position: LogPosition(epoch: Epoch(1), sequence: .none),
                    digest: LogDigest(startOf: log.id)))
        }
    }

    func hear() -> LogNews? {
        arrived.wait()
        return news.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    mutating func append(_ batch: [SealedRecord]) throws {
        try log.append(batch, expecting: log.head)
        while true {
            guard case .ended(let outcome) = hear() else { continue }
            if let refusal = outcome.refusal { throw refusal }
            log.finish(outcome)
            return
        }
    }

    func figure(_ name: String) -> UInt64 {
        log.figures.first { $0.name == name }?.value ?? 0
    }
}
