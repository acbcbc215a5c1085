import Testing
import TestSupport

@testable import martlet

@Suite struct TraceParserTests {
    private typealias Request = TraceSample.Request

    private static let sample = "time,key,size\r\n1,a,10\n\n 2.5 ,\tb c , 07 \r\n,d,4294967295"
    private static let requests = [
        Request("a", 10), Request("b c", 7), Request("d", .max),
    ]

    @Test func headerSpacesCarriageReturnsAndAMissingEndAreFine() {
        let parsed = TraceSample.parse(Self.sample)
        #expect(parsed.problem == nil)
        #expect(parsed.requests == Self.requests)
        #expect(parsed.lineCount == 5)
    }

    /// Every pair of cuts, not a lucky few.
    @Test func whereTheBytesAreCutMakesNoDifference() {
        let bytes = Array(Self.sample.utf8)
        let whole = TraceSample.parse([bytes])
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(TraceSample.parse(pieces.map(Array.init)) == whole)
            }
        }
        #expect(TraceSample.parse(bytes.map { [$0] }) == whole)
    }

    @Test(arguments: [
        ("1,a", TraceFault.fieldCount(2)), ("1,a,2,3", .fieldCount(4)), ("text", .fieldCount(1)),
        ("noon,a,1", .time("noon")), ("1e,a,1", .time("1e")), (".,a,1", .time(".")),
        ("1,a,0", .size("0")), ("1,,1", .key(0)), ("1, \t,1", .key(0)), ("1,a,", .size("")),
        ("1,a,-1", .size("-1")),
        ("1,a,1.5", .size("1.5")), ("1,a,4294967296", .size("4294967296")),
        ("1,a,99999999999999999999", .size("99999999999999999999")), ("1,a,1\r", .size("1\r")),
        ("time,key,size", .time("time")),
    ])
    func aMalformedLineIsNamedByItsNumber(line: String, fault: TraceFault) {
        let text = "1,x,1\n\n\(line)\r\n1,y,1\n"
        let parsed = TraceSample.parse(text)
        #expect(parsed.problem == TraceProblem(line: 3, fault: fault))
        #expect(parsed.requests == [Request("x", 1)])

        let skipping = TraceSample.parse(text, skipping: true)
        #expect(skipping.problem == nil)
        #expect(skipping.requests == [Request("x", 1), Request("y", 1)])
        #expect(skipping.skippedCount == 1)
        #expect(skipping.firstSkipped == parsed.problem)
    }

    @Test(arguments: ["", "0", "17", "-1", "+1.5", "1.", ".5", "1.6e9", "1E-3"])
    func aTimeIsAnyNumberOrNothing(time: String) {
        #expect(TraceSample.parse("\(time),a,1").requests == [Request("a", 1)])
    }

    @Test func aKeyHasAtMost4096Bytes() {
        let key = String(repeating: "k", count: 4_096)
        #expect(TraceSample.parse("1,\(key),1\n").requests == [Request(key, 1)])
        #expect(TraceSample.parse("1,\(key)k,1\n").problem?.fault == .key(4_097))
    }

    @Test func keysAreBytesAsGiven() {
        let line: [UInt8] = [0x31, 0x2C, 0x00, 0xFF, 0x22, 0x2C, 0x31, 0x0A]
        #expect(TraceSample.parse([line]).requests.map(\.key) == [[0x00, 0xFF, 0x22]])
    }

    /// One byte more or less than a line may have, and far more, in pieces of every kind.
    @Test(arguments: [-1, 0, 1, 2, 100_000], ["\n", "\r\n", ""])
    func aLineOfTooManyBytesIsPassedOverWithoutBeingKept(excess: Int, end: String) {
        let spaces = String(repeating: " ", count: TraceLimits.lineBytesMax + excess - 5)
        let bytes = Array("1,\(spaces)a,1\(end)".utf8)
        let isTooLong = excess > 0
        for step in [1, 7, 4_096, bytes.count] {
            let pieces = stride(from: 0, to: bytes.count, by: step).map {
                Array(bytes[$0..<min($0 + step, bytes.count)])
            }
            let parsed = TraceSample.parse(pieces + [Array("\n2,b,2\n".utf8)], skipping: true)
            #expect(parsed.firstSkipped?.fault == (isTooLong ? .tooLong : nil))
            #expect(parsed.requests == (isTooLong ? [] : [Request("a", 1)]) + [Request("b", 2)])
        }
    }

    /// 20 000 inputs of chance, most of them nearly right, are understood as a plain pattern
    /// understands them: the same requests, and the same lines named.
    @Test func noBytesBreakTheParserAndItAgreesWithAPattern() throws {
        var dice = SeededGenerator(seed: 4_711)
        let pattern = try TracePattern()
        var problemCount = 0
        for _ in 0..<20_000 {
            let bytes = Self.chance(&dice)
            let cut = Int.random(in: 0...bytes.count, using: &dice)
            let parsed = TraceSample.parse([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(parsed == TraceSample.parse([bytes]))
            let wanted = pattern.parse(bytes)
            #expect(parsed.problem?.line == wanted.malformed.first, "\(bytes)")
            if parsed.problem != nil { problemCount += 1 }

            let skipping = TraceSample.parse([bytes], skipping: true)
            #expect(skipping.problem == nil)
            #expect(skipping.firstSkipped == parsed.problem)
            #expect(skipping.requests == wanted.requests, "\(bytes)")
            #expect(skipping.skippedCount == wanted.malformed.count)
        }
        #expect((1_000..<19_000).contains(problemCount))
    }

    /// Lines of a trace of which some bytes were replaced, removed, doubled or added.
    private static func chance(_ dice: inout SeededGenerator) -> [UInt8] {
        let lines = ["1,a,10\n", "0.5,bc,7\r\n", " 3 , d , 1 \n", "time,key,size\n", "\n", ",e,4"]
        var bytes = (0..<Int.random(in: 0...5, using: &dice)).flatMap { _ in
            Array((lines.randomElement(using: &dice) ?? "").utf8)
        }
        let likely = Array(",\n\r 019-+.eéX\u{0}".utf8)
        for _ in 0..<Int.random(in: 0...4, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            let byte =
                Bool.random(using: &dice)
                ? .random(in: 0...255, using: &dice) : likely.randomElement(using: &dice) ?? 0
            let end = min(bytes.count, place + Int.random(in: 0...2, using: &dice))
            switch Int.random(in: 0...2, using: &dice) {
            case 0: bytes.insert(byte, at: place)
            case 1: bytes.replaceSubrange(place..<end, with: [byte])
            default: bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
        }
        return bytes
    }
}
