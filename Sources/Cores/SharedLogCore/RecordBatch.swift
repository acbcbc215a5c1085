import ByteCoding
package import CacheModel
import CacheWire

/// The value of a key under `records`: sealed records, one behind the other. Each begins with its
/// own length.
package enum RecordBatch {
    package static func encoded(_ records: some Sequence<SealedRecord>) -> [UInt8] {
        records.reduce(into: []) { $0 += $1.bytes }
    }

    /// - Returns: `nil` if the bytes are not a sequence of records.
    package static func records(in bytes: [UInt8]) -> [SealedRecord]? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var records: [SealedRecord] = []
            do throws(WireRefusal) {
                while !reader.isAtEnd { records.append(try SealedRecord(decoding: &reader)) }
                return records
            } catch {
                return nil
            }
        }
    }
}

/// A batch that the store keeps.
package struct StoredBatch: Hashable, Sendable {
    /// The position of its last record, which is in its key.
    package let last: LogPosition
    package let bytes: Int
    /// When this publisher first knew of it.
    package let knownAt: Instant
}
