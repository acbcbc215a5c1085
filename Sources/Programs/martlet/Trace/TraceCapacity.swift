import ArgumentParser
import CacheConfiguration
import CacheMemory
import CommandSurface

/// How large a cache is, as people write it: `1%` of the footprint, `64MiB`, or `1000`.
enum TraceCapacity: Hashable, Sendable {
    /// Millionths of a percent, so that a share is exact.
    case share(Int)
    /// Bytes, with their unit.
    case bytes(Int)
    /// Objects or bytes, whatever is counted.
    case count(Int)

    private static let digitsMax = 6
    private static let scale = 1_000_000
    private static let percentMax = 100

    /// A tenth of a percent, one, ten and twenty: from far too small to ample.
    static let usual = ["0.1%", "1%", "10%", "20%"]
    /// The sizes of a curve, about evenly spread over the logarithm.
    static let curve = [
        "0.1%", "0.2%", "0.5%", "1%", "2%", "3%", "5%", "7%", "10%", "15%", "20%", "30%", "50%",
        "70%", "100%",
    ]

    /// Capacities with commas between them.
    ///
    /// - Throws: a sentence for the first that is none.
    static func list(_ text: String) throws -> [TraceCapacity] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map {
            try TraceCapacity(String($0))
        }
    }

    init(_ text: String) throws(TextProblem) {
        if text.hasSuffix("%") {
            self = .share(try Self.millionths(text))
        } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let count = Int(text) else { throw Self.unreadable(text) }
            guard count > 0 else { throw Self.empty(text) }
            self = .count(count)
        } else {
            let bytes: Int
            do {
                bytes = try ByteSizeText.parse(text)
            } catch {
                throw Self.unreadable(text)
            }
            guard bytes > 0 else { throw Self.empty(text) }
            self = .bytes(bytes)
        }
    }

    /// Units of capacity out of `footprint`: rounded down, at least 1.
    func resolved(of footprint: Int) -> Int {
        switch self {
        case .share(let share):
            let whole = Int128(100 * Self.scale)
            return max(1, Int(clamping: Int128(footprint) * Int128(share) / whole))
        case .bytes(let count), .count(let count): return count
        }
    }

    private static func millionths(_ text: String) throws(TextProblem) -> Int {
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        let areDigits = parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let padding = String(repeating: "0", count: max(0, digitsMax - fraction.count))
        guard (1...2).contains(parts.count), areDigits, (1...digitsMax).contains(fraction.count),
            let whole = Int(parts[0]), let part = Int(fraction + padding)
        else { throw unreadable(text) }
        guard whole < percentMax || (whole == percentMax && part == 0) else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is more than everything; write 100% at most")
        }
        guard whole > 0 || part > 0 else { throw empty(text) }
        return whole * scale + part
    }

    private static func empty(_ text: String) -> TextProblem {
        TextProblem(
            "\(TextProblem.quote(text)) holds nothing; write a capacity of more than 0")
    }

    private static func unreadable(_ text: String) -> TextProblem {
        TextProblem(
            "\(TextProblem.quote(text)) is not a capacity; write a share of the footprint such as "
                + "0.1% or 20%, a size such as 64MiB, or a number from 1")
    }
}

/// What a capacity counts.
enum TraceUnit: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Every entry counts one.
    case objects
    /// An entry counts what the size column says, and nothing for its key or its keeping.
    case bytes

    var weighing: EntryWeighing {
        switch self {
        case .objects: .objects
        case .bytes: .payload
        }
    }

    /// `count` for people.
    func text(_ count: Int) -> String {
        switch self {
        case .objects: FigureText.grouped(UInt64(count))
        case .bytes: FigureText.size(UInt64(count))
        }
    }
}
