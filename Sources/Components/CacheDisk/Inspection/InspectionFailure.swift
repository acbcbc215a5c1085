/// Why a file cannot be inspected: there is no tier in it, or its first page does not say how it is
/// divided.
package enum InspectionFailure: Error, Equatable, Sendable {
    case empty
    case noTier
    case otherFormat(UInt8)
    case damagedHead
    case wrongSize(foundBytes: Int, expectedBytes: Int)

    /// Whether a tier was there that is not whole any more.
    package var isDamage: Bool {
        switch self {
        case .empty, .noTier, .otherFormat: false
        case .damagedHead, .wrongSize: true
        }
    }
}

extension InspectionFailure: CustomStringConvertible {
    /// Behind the name of the file.
    package var description: String {
        switch self {
        case .empty:
            "holds nothing yet: no node has written its first page; a node begins with an empty "
                + "tier there"
        case .noTier: "is no disk tier: those begin with MARTDSK; name a shard-N.tier of a node"
        case .otherFormat(let format):
            "was written by another release, in format \(Superblock.name(ofFormat: format)), and "
                + "this one reads format \(Superblock.name(ofFormat: Superblock.format)); use "
                + "that release's martlet"
        case .damagedHead:
            "is a disk tier whose first page is damaged, so nothing in it can be told; a node "
                + "begins anew there"
        case .wrongSize(let found, let expected):
            "has \(found) bytes and not the \(expected) that it was made with: somebody has "
                + "\(found < expected ? "cut" : "lengthened") it; remove it, and a node begins "
                + "with an empty one"
        }
    }
}
