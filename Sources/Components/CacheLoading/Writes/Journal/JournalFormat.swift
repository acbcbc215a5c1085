import ByteCoding

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
