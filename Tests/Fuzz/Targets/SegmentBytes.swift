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

    /// The header is of the format whose frames bear its salt, and so do they.
    static let salt = SegmentMending(rawValue: 8)

    func mend(_ bytes: inout [UInt8]) {
        if contains(.header) {
            bytes.put(contains(.salt) ? "MARTSEG2" : "MARTSEG1", at: 0)
            if contains(.salt) { bytes.put(FileSalt.fuzzed.rawValue, at: 48, bytes: 8) }
            bytes.seal(12..<SegmentHeader.bytes, at: 8)
        }
        let form = bytes.withUnsafeBytes { SegmentHeader($0) }?.form ?? .unsalted
        guard !isDisjoint(with: [.checksums, .chain]) else { return }
        var number = bytes.number(at: 24, bytes: 8)
        var digest = bytes.number(at: 32, bytes: 8)
        var offset = SegmentHeader.bytes
        while offset + form.headBytes <= bytes.count {
            let length = Int(bytes.number(at: offset + 4, bytes: 4))
            let end = offset + form.frameBytes(around: length)
            guard length >= 48, end <= bytes.count else { return }
            number &+= 1
            let record = offset + form.headBytes
            if let salt = form.salt { bytes.put(salt.rawValue, at: offset + 8, bytes: 8) }
            if contains(.chain) { link(&bytes, at: record, length, number, digest) }
            bytes.seal(offset + 4..<end, at: offset)
            digest = bytes[record..<record + length].withUnsafeBytes { StableHash.hash($0) }
            offset = end
        }
    }

    private func link(
        _ bytes: inout [UInt8], at record: Int, _ length: Int, _ number: UInt64, _ digest: UInt64
    ) {
        bytes.put(number, at: record - 24, bytes: 8)
        bytes.put(digest, at: record - 16, bytes: 8)
        bytes.put(length, at: record, bytes: 4)
        bytes.put(bytes.number(at: 12, bytes: 4), at: record + 4, bytes: 4)
        bytes.put(number, at: record + 8, bytes: 8)
        bytes.put(digest, at: record + 16, bytes: 8)
    }
}

extension FileSalt {
    /// Of the files that the targets mend.
    static var fuzzed: FileSalt {
        guard let salt = FileSalt(rawValue: 0x5A17_5A17_5A17_5A17) else { fatalError("not 0") }
        return salt
    }
}
