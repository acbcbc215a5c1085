import ByteCoding

/// What a journal holds: the writes that are not over, in their order.
///
/// A file may end anywhere: what was being written when the process was killed was never answered
/// for. What cannot be read *before* that is damage, and nothing is guessed of it.
package struct RecoveredJournal: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var number: WriteNumber
        package var write: OriginWrite
        /// Wall time of when it was asked for, in milliseconds since 1970.
        package var at: UInt64
        /// What the origin said, if it refused it.
        package var rejection: WriteRejection?
    }

    /// By number.
    package private(set) var entries: [Entry] = []
    package private(set) var last = WriteNumber(0)
    /// How much at the file's end was never answered for.
    package private(set) var cutBytes = 0

    /// Of a queue that has no journal yet.
    package init() {}

    /// - Complexity: O(bytes), whatever they are.
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
        }
    }

    /// The same, to begin another file with.
    package var records: [JournalRecord] {
        entries.flatMap { entry -> [JournalRecord] in
            JournalRecord.queued(entry.number, entry.write, at: entry.at)
                + (entry.rejection.map { [.rejected(entry.number, $0)] } ?? [])
        }
    }
}
