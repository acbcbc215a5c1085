/// Why a file cannot be inspected: it holds no tier, or its first page does not describe the
/// layout.
package enum InspectionFailure: Error, Equatable, Sendable {
    case empty
    case noTier
    case otherFormat(UInt8)
    case damagedHead
    case wrongSize(foundBytes: Int, expectedBytes: Int)

    /// Whether the file held a tier that is damaged.
    package var isDamage: Bool {
        switch self {
        case .empty, .noTier, .otherFormat: false
        case .damagedHead, .wrongSize: true
        }
    }
}

extension InspectionFailure: CustomStringConvertible {
    /// Printed after the file's name.
    package var description: String {
        switch self {
        case .empty:
            "is empty: no node has written its first page; a node starts with an empty tier "
                + "there"
        case .noTier: "is no disk tier: those begin with MARTDSK; name a shard-N.tier of a node"
        case .otherFormat(let format):
            "was written by another release, in format \(Superblock.name(ofFormat: format)), and "
                + "this one reads format \(Superblock.name(ofFormat: Superblock.format)); use "
                + "that release's martlet"
        case .damagedHead:
            "is a disk tier with a damaged first page, so it cannot be read; a node starts with "
                + "an empty tier there"
        case .wrongSize(let found, let expected):
            "has \(found) bytes instead of the original \(expected): it was "
                + "\(found < expected ? "cut" : "lengthened"); remove it, and a node starts "
                + "with an empty one"
        }
    }
}
