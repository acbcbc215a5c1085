import ByteCoding
import CommandSurface
import MartletClient

/// Entries of all nodes together.
struct EntryCount: Hashable {
    var entryCount: Int
    var entryBytes: Int
    /// Otherwise they are at most so many.
    var isExact: Bool

    init(_ counts: [NodeCount]) {
        entryCount = counts.map(\.entryCount).reduce(0, NodeCount.sum)
        entryBytes = counts.map(\.entryBytes).reduce(0, NodeCount.sum)
        isExact = counts.allSatisfy(\.isExact)
    }

    /// `12 entries`, `at most 12 entries`.
    var text: String {
        (isExact ? "" : "at most ") + FigureText.count(entryCount, "entry", "entries")
    }

    var members: [JSONDocument.Member] {
        [
            ("entries", .integer(entryCount)), ("bytes", .integer(entryBytes)),
            ("exact", .bool(isExact)),
        ]
    }
}
