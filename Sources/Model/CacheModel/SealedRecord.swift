/// A record of the log as it was first encoded, with the digest of exactly those bytes.
///
/// Only the codec creates one, so that bytes, record and digest cannot differ. Logs store and
/// replay the bytes; no record is encoded twice.
public struct SealedRecord: Hashable, Sendable {
    public let record: InvalidationRecord
    public let bytes: [UInt8]
    public let digest: LogDigest

    public init(record: InvalidationRecord, bytes: [UInt8], digest: LogDigest) {
        self.record = record
        self.bytes = bytes
        self.digest = digest
    }

    public var position: LogPosition { record.position }

    /// The log's mark right after this record.
    public var mark: LogMark { LogMark(position: record.position, digest: digest) }
}
