import Testing

@testable import martlet

@Suite struct RecordedTraceTests {
    private func record(_ text: String) throws -> RecordedTrace {
        var parser = TraceParser(skipsMalformed: false)
        var recorder = TraceRecorder()
        try Array(text.utf8).withUnsafeBytes { bytes in
            try parser.feed(bytes) { recorder.add($0) }
        }
        return recorder.finish()
    }

    @Test func theFootprintIsKeysOrTheSumOfTheirLargestSizes() throws {
        let trace = try record("1,a,5\n2,b,4\n3,a,9\n4,a,2\n5,c,1\n")
        #expect(trace.requestCount == 5)
        #expect(trace.footprint(in: .objects) == 3)
        #expect(trace.footprint(in: .bytes) == 9 + 4 + 1)
        #expect(trace.byteCount == 5 + 4 + 9 + 2 + 1)
        #expect(trace.pieces.joined().map(\.key) == [0, 1, 0, 0, 2])
        #expect(trace.pieces.joined().map(\.size) == [5, 4, 9, 2, 1])
    }

    /// More keys than the table begins with, and more requests than a piece has.
    @Test func noKeyIsTakenForAnotherWhileTheTableGrows() throws {
        let count = 150_000
        let lines = (0..<2 * count).map { "\($0),key-\($0 % count),1\n" }.joined()
        let trace = try record(lines)
        #expect(trace.keys.count == count)
        #expect(trace.pieces.count > 1)
        #expect(
            trace.pieces.joined().enumerated().allSatisfy { Int($1.key) == $0 % count })
        let last = trace.keys.bytes[trace.keys.bounds[count - 1]..<trace.keys.bounds[count]]
        #expect(Array(last) == Array("key-\(count - 1)".utf8))
    }
}
