import ByteCoding

/// How a write queue's journal lies on disk; docs/queue-format.md has the tables.
///
///     header 40:  "MARTLETQ" · version 4 · reserved 4 · number of the first record 8 · salt 8
///                 · reserved 4 · checksum 4 of the 36 before
///     record:     checksum 4 of all that follows · bytes 4 of the whole record · salt 8
///                 · record number 8 · synchronized 8 · kind 1 · reserved 7 · body
///
/// Format 1 has no salt, and is only read. Format 3 is format 2 with representations: a file is
/// of it if it has one, so that an earlier release starts on any other. Records are numbered
/// without holes. *Synchronized* is how many bytes of this file were known to survive when
/// the record was written: a record that cannot be read before that is damage, one after it was
/// never answered for.
///
/// Values stand in it as clients sent them. The salt is what no value can hold: see
/// ``ByteCoding/FileSalt``.
enum JournalFormat {
    static let magic: [UInt8] = Array("MARTLETQ".utf8)
    static let version: UInt32 = 2
    static let describedVersion: UInt32 = 3
    static let unsaltedVersion: UInt32 = 1
    static let headerBytes = headerBytes(isSalted: true)
    static let recordHeaderBytes = recordHeaderBytes(isSalted: true)
    /// Greatest number of a record, and of a write: behind it nobody could go on counting. What has
    /// a greater one is no record.
    static let numberMax: UInt64 = 1 << 62
    /// The number of no write. A release that knows no traces reads a record that says that it is
    /// over, and passes over what stands behind it: there a trace is kept.
    static let noWrite = WriteNumber(0)
    /// Of a trace without its state.
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
