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
