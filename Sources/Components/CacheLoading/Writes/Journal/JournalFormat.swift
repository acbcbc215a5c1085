import ByteCoding
package import CacheModel

/// The file format of a write queue's journal; docs/queue-format.md has the tables.
///
///     header 40:  "MARTLETQ" · version 4 · reserved 4 · number of the first record 8 · salt 8
///                 · reserved 4 · checksum 4 of the 36 before
///     record:     checksum 4 of all that follows · bytes 4 of the whole record · salt 8
///                 · record number 8 · synchronized 8 · kind 1 · reserved 7 · body
///
/// Format 1 has no salt, and is only read. Format 3 is format 2 with representations: a file has
/// format 3 only if it contains one, so that an earlier release can start with any other file.
/// Records are numbered without holes. *Synchronized* is the number of bytes of this file known to
/// be durable when the record was written: an unreadable record before that offset is corruption; a
/// record after it was never acknowledged.
///
/// Values are stored as clients sent them. No value can contain the salt: see
/// ``ByteCoding/FileSalt``.
enum JournalFormat {
    static let magic: [UInt8] = Array("MARTLETQ".utf8)
    static let version: UInt32 = 2
    static let describedVersion: UInt32 = 3
    static let unsaltedVersion: UInt32 = 1
    static let headerBytes = headerBytes(isSalted: true)
    static let recordHeaderBytes = recordHeaderBytes(isSalted: true)
    /// Greatest number of a record, and of a write: after it counting could not continue. A record
    /// with a greater number is invalid.
    static let numberMax: UInt64 = 1 << 62
    /// Not a write's number. A release without traces reads a record that marks this write as done,
    /// and skips the bytes after it: a trace is stored there.
    static let noWrite = WriteNumber(0)
    /// Bytes of a trace without its state.
    static let traceBytes = 25
    /// Bytes of the record that gave a key to this node, and of its write. Fewer than a trace has.
    static let ownedBytes = 20

    enum Kind: UInt8 {
        case put = 1
        case delete = 2
        case done = 3
        case rejected = 4
        /// A value with a representation.
        case describedPut = 5
    }

    static func headerBytes(isSalted: Bool) -> Int { isSalted ? 32 + FileSalt.bytes : 32 }

    static func recordHeaderBytes(isSalted: Bool) -> Int { isSalted ? 32 + FileSalt.bytes : 32 }
}

/// A record of the write queue's journal.
package enum JournalRecord: Equatable, Sendable {
    /// A write was queued.
    ///
    /// - Parameter at: wall time of the request, in milliseconds since 1970.
    case write(WriteNumber, OriginWrite, at: UInt64)
    /// The write is over: the origin has it, or an operator has dropped it.
    case done(WriteNumber)
    /// The origin refused it.
    case rejected(WriteNumber, WriteRejection)
    /// The external request that a write belongs to. After its write, which is complete without it.
    case trace(WriteNumber, TraceContext)
    /// The record that gave the key of a write to this node; none if unknown; `beyondAll`: an
    /// operator has it written whatever other nodes have written. After its write; the last counts.
    case owned(WriteNumber, LogPosition)

    /// All records of a write that was queued, and rejected if there is a rejection.
    ///
    /// - Parameter ownedSince: none if keys do not move; `nil`: an operator has it written.
    static func queued(
        _ number: WriteNumber, _ write: OriginWrite, at wall: UInt64,
        ownedSince: LogPosition?, _ rejection: WriteRejection? = nil
    ) -> [JournalRecord] {
        [.write(number, write, at: wall)] + (write.trace.map { [.trace(number, $0)] } ?? [])
            + (ownedSince == LogPosition.none ? [] : [.owned(number, ownedSince ?? .beyondAll)])
            + (rejection.map { [.rejected(number, $0)] } ?? [])
    }

    /// Whether it has a representation, which not every file format supports.
    package var isDescribed: Bool {
        guard case .write(_, let write, _) = self else { return false }
        return write.value != nil && !write.representation.isEmpty
    }

    /// Its size in the file.
    package var bytes: Int {
        switch self {
        case .write(_, let write, _):
            JournalFormat.recordHeaderBytes + 36 + write.namespace.name.utf8.count
                + write.key.bytes.count + (write.value?.count ?? 0)
                + (isDescribed ? write.representation.stored.count : 0)
        case .done: JournalFormat.recordHeaderBytes + 8
        case .rejected(_, let rejection):
            JournalFormat.recordHeaderBytes + 12 + rejection.words.count
        case .trace(_, let trace):
            JournalFormat.recordHeaderBytes + 16 + JournalFormat.traceBytes
                + trace.state.utf8.count
        case .owned: JournalFormat.recordHeaderBytes + 8 + JournalFormat.ownedBytes
        }
    }
}

/// Why a write queue's journal cannot be continued.
package enum JournalDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// It has no journal header.
    case notAJournal
    case newerForm(UInt32)
    /// An acknowledged record cannot be read at this byte.
    case damaged(at: Int)

    package var description: String {
        switch self {
        case .notAJournal: "it is no journal of a write queue"
        case .newerForm(let version):
            "a later release wrote it (format \(version)); start that release again, or a later one"
        case .damaged(let offset):
            "byte \(offset) cannot be read, and writes that were accepted lie there; restore the "
                + "file, or move it away to continue without its writes"
        }
    }
}
