import ByteCoding
import CacheLoading
import Storage

/// A write queue's file, with what is in it: opened before anything of a node runs, so that a queue
/// that cannot be read is an error of the start.
struct OpenedQueue: Sendable {
    var file: QueueFile
    var writer: JournalWriter
    var journal: RecoveredJournal
    /// Why it accepts no writes now; `nil`: it does. Its content was read.
    var trouble: LogFileError?

    /// Keys that no shard may answer by what it holds, from the beginning.
    var held: [WriteLine] {
        journal.entries.filter { $0.rejection == nil }.map(\.write.line)
    }

    /// Locks the directory, reads what is there, and begins the file anew with what is not over. A
    /// full disk keeps no node down: the file stays as it was.
    init(_ directory: String, faults: LogFaults = .none) throws(QueueStartError) {
        do {
            file = try QueueFile(directory, faults: faults)
            if let bytes = try file.read() {
                journal = try RecoveredJournal(bytes)
            } else {
                journal = RecoveredJournal()
            }
            writer = JournalWriter()
            try begin()
        } catch {
            throw QueueStartError(directory: directory, reason: "\(error)")
        }
    }

    private mutating func begin() throws(LogFileError) {
        var dice = SystemRandomNumberGenerator()
        var anew = writer
        do throws(LogFileError) {
            try file.replace(with: anew.whole(journal.records, salt: FileSalt(drawnBy: &dice)))
        } catch {
            guard error.isDiskFull else { throw error }
            trouble = error
            return
        }
        anew.synchronized()
        writer = anew
    }
}
