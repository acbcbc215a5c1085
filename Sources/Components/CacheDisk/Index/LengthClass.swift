/// The length of a record, rounded up to one of 63 lengths: a read of so many bytes covers it.
///
/// The number of a class is 1 to 63 and is stored in a segment's footer, so the table is part of
/// the file format and never changes. Zero is no class; it marks empty index slots.
///
/// Record lengths are multiples of eight. Among tables of 63 such lengths from 16 bytes to 128 MiB
/// and 8 KiB this one has the least maximum excess: at most 27.4 % more is read than the record
/// has, and about 13 % on average over lengths of all magnitudes. Each length is the largest within
/// 1.2733 times the shortest record of its class.
public struct LengthClass: Hashable, Comparable, Sendable {
    private static let lengths: [Int] = [
        16, 24, 40, 56, 80, 112, 152, 200, 264, 344, 448, 576, 736, 944, 1_208, 1_544, 1_976,
        2_520, 3_216, 4_104, 5_232, 6_672, 8_504, 10_832, 13_800, 17_576, 22_384, 28_504, 36_304,
        46_232, 58_872, 74_968, 95_464, 121_560, 154_792, 197_104, 250_976, 319_576, 406_920,
        518_136, 659_744, 840_056, 1_069_648, 1_361_984, 1_734_216, 2_208_176, 2_811_664,
        3_580_088, 4_558_520, 5_804_352, 7_390_664, 9_410_512, 11_982_376, 15_257_112, 19_426_824,
        24_736_104, 31_496_384, 40_104_224, 51_064_552, 65_020_288, 82_790_072, 105_416_264,
        134_226_096,
    ]
    /// Exclusive bound of a record's length: 128 MiB and 8 KiB.
    package static let recordBytesMax = 128 << 20 + 8 << 10
    /// The class of a tombstone and a reset.
    static let short = LengthClass(bytes: RecordHead.shortBytes)
    package static let least = LengthClass(number: 1)
    package static let greatest = LengthClass(number: 63)

    /// 1 to 63.
    package let rawValue: UInt8

    private init(number: UInt8) { rawValue = number }

    /// - Returns: `nil` for an invalid number, as in a damaged file.
    package init?(rawValue: UInt8) {
        guard (1...63).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The class of records of this length.
    ///
    /// - Precondition: `bytes` is above 0 and at most ``recordBytesMax``.
    /// - Complexity: six steps.
    package init(bytes: Int) {
        precondition(
            bytes > 0 && bytes <= Self.recordBytesMax, "a record has between 1 byte and 128 MiB")
        var (low, high) = (0, Self.lengths.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if Self.lengths[middle] < bytes { low = middle + 1 } else { high = middle }
        }
        rawValue = UInt8(low + 1)
    }

    /// The next greater class.
    ///
    /// - Precondition: it is not the greatest.
    var next: LengthClass { LengthClass(number: rawValue + 1) }

    /// Maximum bytes of a record of this class: a multiple of eight.
    package var bytesMax: Int { Self.lengths[Int(rawValue) - 1] }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension LengthClass {
    /// The class stored in a slot's six bits.
    ///
    /// - Precondition: the slot is not empty.
    init(kept number: UInt64) {
        precondition((1...63).contains(number), "an entry of the index has a length class")
        rawValue = UInt8(number)
    }
}
