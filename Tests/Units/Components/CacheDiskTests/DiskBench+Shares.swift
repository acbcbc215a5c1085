import CacheModel
import Testing

@testable import CacheDisk

/// What namespaces take of a tier's ring.
extension DiskBench {
    func room(of namespace: String) -> UInt64 {
        Array(namespace.utf8).withUnsafeBytes { tier.hasher.room(of: $0) }
    }

    /// - Parameter hundredths: of the ring; 100: no bound.
    mutating func setShare(_ hundredths: Int, of namespace: String) {
        let account = tier.account(of: room(of: namespace))
        let bytesMax = Percent(hundredths).map { $0.of(geometry.ringBytes) }
        tier.setShare(hundredths == 100 ? nil : bytesMax, of: account)
    }

    /// Appends a value that only the disk has, with what that takes.
    mutating func replace(_ key: String, _ value: String, in namespace: String) -> ShedCause? {
        let (fingerprint, name) = (fingerprint(key, in: namespace), Array(namespace.utf8))
        let account = tier.account(of: room(of: namespace))
        let (keyBytes, valueBytes) = (Array(key.utf8), Array(value.utf8))
        return keyBytes.withUnsafeBytes { key in
            valueBytes.withUnsafeBytes { value in
                name.withUnsafeBytes { name in
                    var entry = DiskEntry(key: key, value: value)
                    entry.namespace = name
                    return tier.replace(entry, fingerprint, for: account)
                }
            }
        }
    }

    /// What the tier has counted.
    mutating func counted(_ namespace: String) -> Int {
        let account = tier.account(of: room(of: namespace))
        return tier.log.shares.taken(account)
    }

    /// The same, and what values that wait are to take at most.
    mutating func promised(_ namespace: String) -> Int {
        let account = tier.account(of: room(of: namespace))
        return tier.log.shares.taken(account)
            + tier.log.shares.accounts[account.index].reservedBytes
    }

    /// What lies in segments that are in use, by namespace: records, and their places in footers.
    ///
    /// - Parameter owners: namespaces of fingerprints that may have values in parts.
    func lying(_ owners: [Fingerprint: String]) -> [String: Int] {
        var image = file
        for run in Tail.runs(UnsafeRawBufferPointer(tail), tier.log.seal, geometry).found
        where tier.log.segments[tier.log.place(of: run.segment)].number == run.segment {
            let from = tier.log.fileOffset(run.segment, run.start)
            image.replaceSubrange(from..<from + run.bytes.count, with: run.bytes)
        }
        var bytes: [String: Int] = [:]
        for segment in tier.log.segments where segment.use != .free {
            let end = segment.use == .active ? tier.log.end : segment.end
            let from = tier.log.fileOffset(segment.number, 0)
            let reading = RecordReading(seal: tier.log.seal, segment: segment.number)
            var offset = DiskSegmentHeader.bytes
            while offset < end {
                let taken = image[from + offset..<from + end].withUnsafeBytes { rest -> Int? in
                    guard let proven = reading.record(rest, at: offset) else { return nil }
                    let owner: String?
                    switch proven {
                    case .entry(let entry, _), .divided(let entry, _, _):
                        owner = String(decoding: entry.namespace, as: UTF8.self)
                    case .part(let fingerprint, _, _, _): owner = owners[fingerprint]
                    case .tombstone, .reset: owner = nil
                    }
                    if let owner {
                        bytes[owner, default: 0] += proven.bytes + SegmentFooter.entryBytes
                    }
                    return proven.bytes
                }
                guard let taken else {
                    Issue.record("no record at \(offset) of \(segment.number)")
                    break
                }
                offset += taken
            }
        }
        return bytes
    }
}
