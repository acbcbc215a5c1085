package import ByteCoding
import CacheModel

/// Numbers and encodes records. Encoded records count only after `synchronized`.
package struct JournalWriter: Sendable {
    /// Salt of the file being written; `nil` before any was begun.
    private var salt: FileSalt?
    private var nextRecord: UInt64 = 1
    /// Offset of the next append.
    package private(set) var synchronizedBytes = 0
    private var pendingCount: UInt64 = 0
    private var pendingBytes = 0

    package init() {}

    /// A file with these records and nothing else.
    ///
    /// - Parameter salt: drawn for this file.
    package mutating func whole(_ records: [JournalRecord], salt: FileSalt) -> [UInt8] {
        self.salt = salt
        var writer = ByteWriter(capacityBytes: JournalFormat.headerBytes)
        writer.append(JournalFormat.magic)
        writer.append(
            records.contains(where: \.isDescribed)
                ? JournalFormat.describedVersion : JournalFormat.version)
        writer.append(UInt32(0))
        writer.append(nextRecord)
        writer.append(salt.rawValue)
        writer.append(UInt32(0))
        let checksum = CRC32C.checksum(writer.bytes)
        writer.append(checksum)
        synchronizedBytes = 0
        encode(records, into: &writer)
        return writer.array
    }

    /// The bytes to append after the synchronized ones, in a file that was begun.
    package mutating func appendix(_ records: [JournalRecord]) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: records.reduce(0) { $0 + $1.bytes })
        encode(records, into: &writer)
        return writer.array
    }

    /// The records encoded last are durable now. Without this call they count as not written.
    package mutating func synchronized() {
        nextRecord += pendingCount
        synchronizedBytes += pendingBytes
        pendingCount = 0
        pendingBytes = 0
    }

    private mutating func encode(_ records: [JournalRecord], into writer: inout ByteWriter) {
        guard let salt else { preconditionFailure("a journal is begun before it is gone on with") }
        var number = nextRecord
        for record in records {
            let start = writer.count
            writer.append(UInt32(0))
            writer.append(UInt32(record.bytes))
            writer.append(salt.rawValue)
            writer.append(number)
            writer.append(UInt64(synchronizedBytes))
            Self.encode(record, into: &writer)
            let body = UnsafeRawBufferPointer(rebasing: writer.bytes[(start + 4)...])
            let checksum = CRC32C.checksum(body)
            writer.patch(checksum, at: start)
            number += 1
        }
        pendingCount = number - nextRecord
        pendingBytes = writer.count
    }

    private static func encode(_ record: JournalRecord, into writer: inout ByteWriter) {
        switch record {
        case .write(let number, let write, let at):
            let put: JournalFormat.Kind = record.isDescribed ? .describedPut : .put
            append(write.value == nil ? .delete : put, to: &writer)
            writer.append(number.rawValue)
            writer.append(write.name.high)
            writer.append(write.name.low)
            writer.append(at)
            let name = Array(write.namespace.name.utf8)
            writer.append(UInt16(name.count))
            writer.append(UInt16(write.key.bytes.count))
            writer.append(name)
            writer.append(write.key.bytes)
            if record.isDescribed { writer.append(write.representation.stored) }
            writer.append(write.value ?? [])
        case .done(let number):
            append(.done, to: &writer)
            writer.append(number.rawValue)
        case .rejected(let number, let rejection):
            append(.rejected, to: &writer)
            writer.append(number.rawValue)
            writer.append(rejection.status)
            writer.append(UInt16(rejection.words.count))
            writer.append(rejection.words)
        case .trace(let number, let trace):
            append(.done, to: &writer)
            writer.append(JournalFormat.noWrite.rawValue)
            writer.append(number.rawValue)
            writer.append(trace.high)
            writer.append(trace.low)
            writer.append(trace.span)
            writer.append(trace.flags)
            writer.append(Array(trace.state.utf8))
        case .owned(let number, let position):
            append(.done, to: &writer)
            writer.append(JournalFormat.noWrite.rawValue)
            writer.append(number.rawValue)
            writer.append(position.epoch.rawValue)
            writer.append(position.sequence.rawValue)
        }
    }

    private static func append(_ kind: JournalFormat.Kind, to writer: inout ByteWriter) {
        writer.append(kind.rawValue)
        writer.append(zeros: 7)
    }
}
