import TestSupport

@testable import CacheDisk

extension SeededGenerator {
    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// Where the fingerprints of a test lie.
enum FingerprintSpace: String, CaseIterable {
    /// Anywhere in 36 bits.
    case even
    /// In three parts, so that they become large.
    case fewParts
    /// In one part, one after the other: all have few first buckets.
    case inARow
    /// In two parts and 64 values of the 22 bits that are stored: the rest tells them apart.
    case sameBits
    /// In one part, in multiples of 2^12: the 22 bits end in zeros.
    case steps

    func fingerprint(_ generator: inout SeededGenerator) -> Fingerprint {
        let draw = generator.next()
        let raw: UInt64 =
            switch self {
            case .even: ((draw % 30_000) &* 0x9E_3779_B97F) & (1 << 36 - 1)
            case .fewParts:
                (draw % 3) << 26 | (((draw >> 8) % 20_000) &* 0x27D_4EB3) & PartGeometry.hashMask
            case .inARow: 5 << 26 | (1 << 25 - 3_000 + draw % 6_000)
            case .sameBits: (draw % 2) << 26 | ((draw >> 8) % 16) << 22 | ((draw >> 16) % 64) << 3
            case .steps: 1_023 << 26 | ((draw >> 8) % (1 << 14)) << 12
            }
        return Fingerprint(rawValue: raw)
    }
}

/// What an index is held against.
struct IndexModel {
    struct Record: Equatable {
        var address: RecordAddress
        var lengthClass: LengthClass
        var isUsed: Bool
    }

    var records: [Fingerprint: Record] = [:]

    func agrees(with index: borrowing DiskIndex) -> Bool {
        guard index.count == records.count else { return false }
        var seen: [Fingerprint: Record] = [:]
        var parts: [UInt64] = []
        index.forEach { fingerprint, found in
            parts.append(fingerprint.rawValue >> 26)
            seen[fingerprint] = Record(found)
        }
        return parts.count == records.count && parts == parts.sorted() && seen == records
    }
}

extension IndexModel.Record {
    init(_ found: DiskIndex.Found) {
        self.init(
            address: found.address, lengthClass: found.lengthClass, isUsed: found.isUsed)
    }
}
