import CacheWorkload

@testable import Borrowed

/// A trace's bytes, which come in pieces cut anywhere: where they are cut makes no difference.
///
///     manner 1 (bit 0: malformed lines are passed over; 1: `~` stands for a thousand bytes),
///     pieces 1 (bytes of each; of long ones a multiple), bytes
enum TraceFuzz: FuzzTarget {
    static let name = "trace"

    private struct Parsed: Equatable {
        var keys: [[UInt8]] = []
        var sizes: [UInt32] = []
        var problem: TraceProblem?
        var lineCount = 0
        var skippedCount = 0
        var firstSkipped: TraceProblem?
    }

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        let skipsMalformed = manner & 1 == 1
        let isLong = manner & 2 == 2
        let pieceBytes = (1 + Int(script.byte())) * (isLong ? 61 : 1)
        let bytes = isLong ? lengthened(script.rest()) : script.restCopied()
        let whole = parse(bytes, in: bytes.count + 1, skipsMalformed)
        check(whole == parse(bytes, in: pieceBytes, skipsMalformed), "cuts make a difference")
        check(whole.keys.allSatisfy { (1...4_096).contains($0.count) }, "keys have bounds")
        check(whole.sizes.allSatisfy { $0 > 0 }, "sizes have bounds")
        check(skipsMalformed || whole.skippedCount == 0, "nothing is passed over unasked")
        if let problem = whole.problem ?? whole.firstSkipped {
            check(!problem.sentence(in: "a.csv").contains("\n"), "a problem is one line")
        }
        readTimes(bytes)
    }

    /// Keys and lines have bounds that no input reaches by itself.
    private static func lengthened(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        bytes.flatMap { $0 == 0x7E ? [UInt8](repeating: 0x78, count: 1_000) : [$0] }
    }

    private static func parse(
        _ bytes: [UInt8], in pieceBytes: Int, _ skipsMalformed: Bool
    ) -> Parsed {
        var parser = TraceParser(skipsMalformed: skipsMalformed)
        var parsed = Parsed()
        func note(_ line: TraceLine) {
            parsed.keys.append([UInt8](line.key))
            parsed.sizes.append(line.size)
        }
        do throws(TraceProblem) {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                let piece = Array(bytes[start..<min(start + pieceBytes, bytes.count)])
                try piece.withUnsafeBufferPointer { (piece) throws(TraceProblem) in
                    try parser.feed(UnsafeRawBufferPointer(piece), note)
                }
            }
            try parser.finish(note)
        } catch {
            parsed.problem = error
        }
        parsed.lineCount = parser.lineCount
        parsed.skippedCount = parser.skippedCount
        parsed.firstSkipped = parser.firstSkipped
        return parsed
    }

    /// The first column, in every unit: a finer one says a thousand times as much.
    private static func readTimes(_ bytes: [UInt8]) {
        let text = Array(bytes.prefix { $0 != 0x2C })
        let all = TraceTime.allCases.map { unit in
            text.withUnsafeBytes { unit.nanoseconds($0) }
        }
        guard let seconds = all[0], let milliseconds = all[1] else { return }
        check(seconds.magnitude / 1_000 == milliseconds.magnitude, "units differ by a thousand")
    }
}
