import ByteCoding
import CacheLoading
import LogFiles

/// A write queue's file, with what is in it: opened before anything of a node runs, so that a queue
/// that cannot be read is an error of the start.
struct OpenedQueue: Sendable {
    var file: QueueFile
    var writer: JournalWriter
    var journal: RecoveredJournal

    /// Keys that no shard may answer by what it holds, from the beginning.
    var held: [WriteLine] {
        journal.entries.filter { $0.rejection == nil }.map(\.write.line)
    }

    /// Locks the directory, reads what is there, and begins the file anew with what is not over.
    init(_ directory: String) throws(QueueStartError) {
        do {
            file = try QueueFile(directory)
            if let bytes = try file.read() {
                journal = try RecoveredJournal(bytes)
            } else {
                journal = RecoveredJournal()
            }
            writer = JournalWriter()
            var dice = SystemRandomNumberGenerator()
            try file.replace(
                with: writer.whole(journal.records, salt: FileSalt(drawnBy: &dice)))
            writer.synchronized()
        } catch {
            throw QueueStartError(directory: directory, reason: "\(error)")
        }
    }
}
