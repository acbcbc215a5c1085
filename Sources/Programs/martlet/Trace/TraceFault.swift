import CacheConfiguration
import CommandSurface

/// What is wrong with a line of a trace.
enum TraceFault: Error, Hashable {
    case tooLong
    case fieldCount(Int)
    case time(String)
    /// With the bytes that it has.
    case key(Int)
    case size(String)

    var sentence: String {
        switch self {
        case .tooLong: "the line has more than \(TraceLimits.lineBytesMax) bytes"
        case .fieldCount(let count):
            "\(FigureText.count(count, "field")), not the three of time,key,size"
        case .time(let text): "the time \(TextProblem.quote(text)) is not a number"
        case .key(let count): "a key has 1 to \(TraceLimits.keyBytesMax) bytes, not \(count)"
        case .size(let text):
            "the size \(TextProblem.quote(text)) is not a whole number from 1 to \(UInt32.max)"
        }
    }
}

/// A malformed line and where it stands.
struct TraceProblem: Error, Hashable {
    /// From 1.
    var line: Int
    var fault: TraceFault

    /// What editors can find: `FILE:LINE: what is wrong`.
    func sentence(in path: String) -> String {
        "\(HarmlessText.line(path)):\(line): \(fault.sentence)"
    }
}

/// Bounds of reading a trace, side by side.
enum TraceLimits {
    /// Longest line that is looked at; a longer one is malformed, and never held in memory.
    static let lineBytesMax = 16_384
    /// Longest key, as for every key of the cache.
    static let keyBytesMax = 4_096
    /// Most requests of one trace: they take 8 bytes each, 16 GiB in all.
    static let requestsMax = 1 << 31
    /// What is read at once.
    static let pieceBytes = 1 << 20
    /// How many pieces after a malformed line are unpacked to learn whether the file is damaged.
    static let drainedPiecesMax = 256
    /// Most parts that a cache is cut into.
    static let shards = 1...1_024
}
