import ByteCoding
import CacheModel

@testable import CacheDisk
@testable import TierSamples

extension DiskFuzz {
    private static let seal = DiskBench.superblock(TierFuzzing.geometry).seal

    /// What a head asks for is bounded, and what proves itself lies within its bytes.
    static func readRecord(_ bytes: inout [UInt8]) {
        let limit = 400
        if case .short(let more) = bytes.withUnsafeBytes({ RecordReading.look($0, limit: limit) }) {
            check(more <= max(limit, 16), "a record asks for what there may be")
        }
        let look = bytes.withUnsafeBytes { RecordReading.look($0, limit: $0.count) }
        guard case .whole(let length) = look else { return }
        check(length <= bytes.count, "a whole record lies in its bytes")
        let number = SegmentNumber(1)
        let sum = bytes[4..<length].withUnsafeBytes { seal.checksum($0, in: number, at: 32) }
        bytes.put(sum, at: 0, bytes: 4)
        bytes.withUnsafeBytes { bytes in
            let reading = RecordReading(seal: seal, segment: number)
            guard let proven = reading.record(bytes, at: 32) else { return }
            check(proven.bytes == length, "a record is as long as its head says")
            if case .entry(let entry, _) = proven { check(entry.isInRange, "an entry has bounds") }
        }
    }

    /// A footer has its last block at the end of its segment.
    static func readFooter(_ bytes: inout [UInt8]) {
        let (number, segmentBytes) = (SegmentNumber(3), 1_024)
        guard bytes.count >= SegmentFooter.lastBlockBytes else { return }
        let block =
            (bytes.count - SegmentFooter.lastBlockBytes) / SegmentFooter.entryBytes
            * SegmentFooter.entryBytes
        bytes.removeFirst(bytes.count - SegmentFooter.lastBlockBytes - block)
        bytes.put("MARTDFT1", at: block)
        bytes.put(block / SegmentFooter.entryBytes, at: block + 12, bytes: 4)
        bytes.put(number.rawValue, at: block + 16, bytes: 8)
        let entries = bytes[..<block].withUnsafeBytes { seal.checksum($0, in: number, at: block) }
        let rest = bytes[(block + 12)...].withUnsafeBytes {
            seal.checksum($0, in: number, at: block + 12)
        }
        bytes.put(entries ^ rest, at: block + 8, bytes: 4)
        bytes.withUnsafeBytes { bytes in
            let end = SegmentFooter.end(bytes, number, seal: seal, segmentBytes: segmentBytes)
            guard let end else { return }
            check(end + bytes.count <= segmentBytes, "records and footer lie in one segment")
            for index in 0..<block / SegmentFooter.entryBytes {
                guard let entry = SegmentFooter.entry(bytes, index) else { continue }
                check(
                    entry.offset >= 32 && entry.offset + 16 <= end, "an entry lies in its segment")
            }
        }
    }
}
