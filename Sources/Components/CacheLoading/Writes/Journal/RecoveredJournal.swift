package import CacheModel

/// The contents of a journal: the writes that are not over, in order.
///
/// A file may end anywhere: a record that was being written when the process was killed was never
/// acknowledged. An unreadable record *before* that is corruption, and nothing is guessed about it.
package struct RecoveredJournal: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var number: WriteNumber
        package var write: OriginWrite
        /// Wall time of the request, in milliseconds since 1970.
        package var at: UInt64
        /// The origin's refusal, if any.
        package var rejection: WriteRejection?
        /// The record that gave the key to this node; none if unknown; `nil`: an operator has the
        /// write made whatever other nodes have written.
        package var ownedSince: LogPosition? = LogPosition.none
    }

    /// By number.
    package private(set) var entries: [Entry] = []
    package private(set) var last = WriteNumber(0)
    /// Bytes at the end of the file that were never acknowledged.
    package private(set) var cutBytes = 0

    /// A queue without a journal.
    package init() {}

    /// - Complexity: O(bytes), whatever their content.
    package init(_ bytes: [UInt8]) throws(JournalDamage) {
        self = try bytes.withUnsafeBytes { Self.read($0) }.get()
    }

    private static func read(_ file: UnsafeRawBufferPointer) -> Result<Self, JournalDamage> {
        do throws(JournalDamage) {
            var scan = try JournalScan(file)
            var journal = Self()
            var found: [WriteNumber: Entry] = [:]
            while let record = scan.next() { journal.note(record, in: &found) }
            guard !scan.isAnsweredForBehind() else { throw .damaged(at: scan.offset) }
            journal.cutBytes = file.count - scan.offset
            journal.entries = found.values.sorted { $0.number < $1.number }
            return .success(journal)
        } catch {
            return .failure(error)
        }
    }

    private mutating func note(_ record: JournalRecord, in found: inout [WriteNumber: Entry]) {
        switch record {
        case .write(let number, let write, let at):
            found[number] = Entry(number: number, write: write, at: at)
            last = max(last, number)
        case .done(let number):
            found[number] = nil
            last = max(last, number)
        case .rejected(let number, let rejection): found[number]?.rejection = rejection
        case .trace(let number, let trace): found[number]?.write.trace = trace
        case .owned(let number, let position):
            found[number]?.ownedSince = position == .beyondAll ? nil : position
        }
    }

    /// The same contents, to begin another file with.
    package var records: [JournalRecord] {
        entries.flatMap {
            JournalRecord.queued(
                $0.number, $0.write, at: $0.at, ownedSince: $0.ownedSince, $0.rejection)
        }
    }
}
