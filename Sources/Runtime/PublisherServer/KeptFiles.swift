import CacheInvalidation
import CacheModel
import Logging

/// The files of the log and beside it, as the publisher's thread sees them. Logs once that one of
/// them cannot be kept, and once that it is kept again.
struct KeptFiles {
    enum File: Hashable {
        case epoch
        case pacings
        case nodes
        case cluster
        case slots
    }

    let storage: StorageThread
    private let logger: Logger
    private var unkept: Set<File> = []
    /// The position of the floors that were last handed over to be saved, and when.
    private var floorsSaved: (asOf: LogPosition, at: Instant)?

    init(_ storage: StorageThread, _ logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// The state of a file now.
    ///
    /// - Parameters:
    ///   - failure: metadata of the line that it is not kept; `nil`: it is kept.
    ///   - consequence: what that line says.
    ///   - again: what the line says that it is kept again.
    mutating func report(
        _ file: File, _ failure: Logger.Metadata?, _ consequence: String, again: String
    ) {
        guard let failure else {
            if unkept.remove(file) != nil { logger.notice("\(again)") }
            return
        }
        guard unkept.insert(file).inserted else { return }
        logger.error("\(consequence)", metadata: failure)
    }

    mutating func report(
        _ file: File, _ trouble: String?, _ consequence: String, again: String
    ) {
        report(file, trouble.map { ["reason": "\($0)"] }, consequence, again: again)
    }

    /// Saves the floors now and then, so that a start after a crash reads little of the log. Floors
    /// of a new epoch are saved at once: the next start then knows that the epoch was seen whole.
    mutating func save(_ floors: FloorSnapshot, now: Instant) {
        let asOf = floors.asOf.position
        if let saved = floorsSaved, saved.asOf.epoch == asOf.epoch {
            guard saved.asOf < asOf else { return }
            let records = asOf.sequence.rawValue - saved.asOf.sequence.rawValue
            let period = PublisherServerLimits.floorsPeriod(after: records)
            guard now.elapsed(since: saved.at) >= period else { return }
        }
        floorsSaved = (asOf, now)
        storage.save(floors)
    }
}
