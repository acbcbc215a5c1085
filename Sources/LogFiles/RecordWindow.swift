import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// The newest records of a log on disk, as they were encoded, packed into a few large pieces.
///
/// A record by itself is several small pieces of memory. Kept for long between others that come
/// and go with every message, each of them holds a page that cannot be given back, and the process
/// grows: by 4 MiB a minute in a soak. Packed, they leave together.
struct RecordWindow {
    /// Records that follow each other.
    private struct Slab {
        let first: SequenceNumber
        var bytes: [UInt8] = []
        /// Where each record ends in `bytes`.
        var ends: [UInt32] = []

        init(first: SequenceNumber) {
            self.first = first
            bytes.reserveCapacity(LogFilesLimits.slabBytes)
            ends.reserveCapacity(LogFilesLimits.slabRecordsMax)
        }

        var isFull: Bool {
            bytes.count >= LogFilesLimits.slabBytes || ends.count >= LogFilesLimits.slabRecordsMax
        }

        func contains(_ sequence: SequenceNumber) -> Bool {
            sequence >= first && sequence.rawValue - first.rawValue < UInt64(ends.count)
        }

        func record(at index: Int) -> ArraySlice<UInt8> {
            bytes[Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])]
        }
    }

    private let slabsMax: Int
    /// The oldest first; never an empty one.
    private var slabs: [Slab] = []

    init(bytesMax: Int) {
        slabsMax = max(2, bytesMax / LogFilesLimits.slabBytes)
    }

    /// The record that follows the newest one. One that does not begins the window anew.
    mutating func append(_ sealed: SealedRecord) {
        let sequence = sealed.position.sequence
        if let newest = slabs.last,
            newest.first.rawValue + UInt64(newest.ends.count) != sequence.rawValue
        {
            slabs.removeAll()
        }
        if slabs.last?.isFull ?? true {
            if slabs.count == slabsMax { slabs.removeFirst() }
            slabs.append(Slab(first: sequence))
        }
        let last = slabs.count - 1
        slabs[last].bytes.append(contentsOf: sealed.bytes)
        slabs[last].ends.append(UInt32(slabs[last].bytes.count))
    }

    mutating func removeAll() { slabs.removeAll() }

    /// The records directly after `sequence`, oldest first: at most `limit`, and no more than one
    /// reading of a file would give.
    ///
    /// - Returns: `nil` if the first of them is not here.
    /// - Complexity: O(`limit`).
    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        guard var slab = slabs.lastIndex(where: { $0.contains(sequence.next) }) else { return nil }
        var index = Int(sequence.next.rawValue - slabs[slab].first.rawValue)
        var records: [SealedRecord] = []
        var bytes = 0
        while records.count < limit, slab < slabs.count {
            let encoded = slabs[slab].record(at: index)
            bytes += encoded.count
            guard records.isEmpty || bytes <= LogFilesLimits.readBytesMax else { break }
            records.append(Self.decode(encoded))
            index += 1
            if index == slabs[slab].ends.count { (slab, index) = (slab + 1, 0) }
        }
        return records
    }

    private static func decode(_ encoded: ArraySlice<UInt8>) -> SealedRecord {
        encoded.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            do throws(WireRefusal) {
                return try SealedRecord(decoding: &reader)
            } catch {
                preconditionFailure("what was encoded here can be decoded: \(error)")
            }
        }
    }
}
