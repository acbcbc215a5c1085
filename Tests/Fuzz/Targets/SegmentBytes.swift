import ByteCoding
import CacheInvalidation
import CacheModel

/// A segment of the publisher's log, made right again: as much of it as is asked for.
struct SegmentMending: OptionSet {
    let rawValue: UInt8

    /// The header's magic and checksum.
    static let header = SegmentMending(rawValue: 1)
    /// Each frame's checksum.
    static let checksums = SegmentMending(rawValue: 2)
    /// Each frame's number and the digest of the record before it, in the frame and in the record.
    static let chain = SegmentMending(rawValue: 4)

    func mend(_ bytes: inout [UInt8]) {
        if contains(.header) {
            bytes.put("MARTSEG1", at: 0)
            bytes.seal(12..<SegmentHeader.bytes, at: 8)
        }
        guard !isDisjoint(with: [.checksums, .chain]) else { return }
        var number = bytes.number(at: 24, bytes: 8)
        var digest = bytes.number(at: 32, bytes: 8)
        var offset = SegmentHeader.bytes
        while offset + SegmentFrame.headBytes <= bytes.count {
            let length = Int(bytes.number(at: offset + 4, bytes: 4))
            let end = offset + SegmentFrame.bytes(around: length)
            guard length >= 48, end <= bytes.count else { return }
            number &+= 1
            if contains(.chain) { link(&bytes, at: offset, length, number, digest) }
            bytes.seal(offset + 4..<end, at: offset)
            let record = offset + SegmentFrame.headBytes
            digest = bytes[record..<record + length].withUnsafeBytes { StableHash.hash($0) }
            offset = end
        }
    }

    private func link(
        _ bytes: inout [UInt8], at offset: Int, _ length: Int, _ number: UInt64, _ digest: UInt64
    ) {
        bytes.put(number, at: offset + 8, bytes: 8)
        bytes.put(digest, at: offset + 16, bytes: 8)
        let record = offset + SegmentFrame.headBytes
        bytes.put(length, at: record, bytes: 4)
        bytes.put(bytes.number(at: 12, bytes: 4), at: record + 4, bytes: 4)
        bytes.put(number, at: record + 8, bytes: 8)
        bytes.put(digest, at: record + 16, bytes: 8)
    }
}
