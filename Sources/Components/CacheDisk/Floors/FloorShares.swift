import CacheModel

/// How the bytes for stored floors are divided among their kinds.
///
/// The number of buckets is a power of two, and they take 40 to 80 % of all bytes; ranges get half
/// of the rest, namespaces and prefixes a quarter each.
struct FloorShares: Equatable, Sendable {
    /// Bytes before the first floor.
    static let headBytes = 48
    /// Fewer leave no space for any list.
    static let bytesMin = 1_024
    static let namespacesMax = 1_024
    /// So that folding takes no more than milliseconds, however large the share.
    static let prefixesMax = 16_384
    static let rangesMax = 16_384

    let bucketCount: Int
    let namespaceBytes: Int
    let prefixBytes: Int
    let rangeBytes: Int

    init(bytesMax: Int) {
        precondition(
            (Self.bytesMin...DiskLimits.checkpointBytesMax).contains(bytesMax),
            "floors are kept in a checkpoint")
        var count = 1
        while count * 2 * FloorPair.bytes <= bytesMax / 5 * 4 { count *= 2 }
        bucketCount = count
        let rest = bytesMax - Self.headBytes - count * FloorPair.bytes
        namespaceBytes = min(
            rest / 4, Self.namespacesMax * NamedFloors.bytes(ofName: 1 + Namespace.bytesMax))
        rangeBytes = rest / 2
        prefixBytes = rest - namespaceBytes - rangeBytes
    }

    /// Where a prefix is cut: sixteen of them must fit.
    var prefixLengthMax: Int { max(prefixBytes / 16, 1) }
}
