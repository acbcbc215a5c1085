package import ByteCoding
import CacheModel

/// How the frames of one segment lie: in segments of format 1 without, and since format 2 with the
/// salt that their segment's header bears.
package enum FrameForm: Hashable, Sendable {
    case unsalted
    case salted(FileSalt)

    private static let alignment = 8

    /// Fewest bytes of any frame.
    static let frameBytesMin = FrameForm.unsalted.frameBytes(
        around: InvalidationLimits.recordBytesMin)

    package var salt: FileSalt? {
        switch self {
        case .unsalted: nil
        case .salted(let salt): salt
        }
    }

    /// Where the numbers begin that stand behind checksum, length and salt.
    var numbersOffset: Int { salt == nil ? 8 : 8 + FileSalt.bytes }

    /// Bytes in front of a record.
    package var headBytes: Int { numbersOffset + 24 }

    /// Bytes of a frame around a record of `recordBytes`.
    package func frameBytes(around recordBytes: Int) -> Int {
        (headBytes + recordBytes + Self.alignment - 1) & ~(Self.alignment - 1)
    }
}
