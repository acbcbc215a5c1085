import CacheLoading
import CacheModel
import Testing

@Suite struct ReplyAssemblyTests {
    private static let elapsed = Duration.milliseconds(3)

    private static func field(_ name: String, _ value: String) -> OriginField {
        OriginField(name: name, value: value)
    }

    private static func received(
        _ count: Int, by assembly: inout ReplyAssembly
    ) -> ReplyAssembly.Verdict {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { assembly.received($0) }
    }

    /// What comes of an answer of these parts: the verdict on each, and the outcome.
    private func transcript(
        _ status: Int, _ fields: [OriginField], parts: [Int] = [],
        ending: ReplyAssembly.Ending = .whole, isConditional: Bool = false
    ) -> ([ReplyAssembly.Verdict], AttemptOutcome) {
        var assembly = ReplyAssembly(valueBytesMax: 10, isConditional: isConditional)
        var verdicts = [assembly.receivedHead(status: status, fields: fields)]
        verdicts += parts.map { Self.received($0, by: &assembly) }
        return (verdicts, assembly.outcome(of: ending, elapsed: Self.elapsed))
    }

    private func answered(_ status: Int, _ fields: [OriginField], _ count: Int) -> AttemptOutcome {
        .answered(
            OriginReply(
                status: status, fields: fields, body: Array(repeating: 7, count: count),
                elapsed: Self.elapsed))
    }

    private func length(_ text: String) -> [OriginField] { [Self.field("Content-Length", text)] }
    private var chunks: [OriginField] { [Self.field("Transfer-Encoding", "Chunked")] }

    @Test func aValueOfToldLengthIsPutTogether() {
        let (verdicts, outcome) = transcript(200, length("5"), parts: [2, 0, 3])
        #expect(verdicts == [.goOn, .goOn, .goOn, .goOn])
        #expect(outcome == answered(200, length("5"), 5))
    }

    @Test func everyLengthUpToTheBoundIsTakenHoweverItIsTold() {
        for bytes in 0...12 {
            for isTold in [true, false] {
                let fields = isTold ? length("\(bytes)") : chunks
                let parts = Array(repeating: 1, count: bytes)
                let (_, outcome) = transcript(200, fields, parts: parts)
                let expected =
                    bytes <= 10 ? answered(200, fields, bytes) : AttemptOutcome.failed(.tooLarge)
                #expect(outcome == expected)
            }
        }
    }

    @Test func aToldLengthPastTheBoundEndsItAtTheHead() {
        for text in ["11", "99999999999999999999999"] {
            let (verdicts, outcome) = transcript(200, length(text))
            #expect(verdicts == [.enough])
            #expect(outcome == .failed(.tooLarge))
        }
    }

    @Test func aGrowingBodyIsCutAtTheBound() {
        let (verdicts, outcome) = transcript(200, chunks, parts: [6, 4, 1, 1])
        #expect(verdicts == [.goOn, .goOn, .goOn, .enough, .enough])
        #expect(outcome == .failed(.tooLarge))
    }

    @Test func aBodyThatIsNotWholeIsNoValue() {
        #expect(transcript(200, length("5"), parts: [4]).1 == .failed(.unreachable))
        let broken = ReplyAssembly.Ending.broken(.unreachable)
        #expect(transcript(200, length("5"), parts: [5], ending: broken).1 == .failed(.unreachable))
        #expect(transcript(200, chunks, parts: [5], ending: broken).1 == .failed(.unreachable))
        #expect(transcript(200, length("5"), ending: .broken(.timedOut)).1 == .failed(.timedOut))
    }

    @Test func moreThanTheToldLengthIsMalformed() {
        let (verdicts, outcome) = transcript(200, length("5"), parts: [6])
        #expect(verdicts == [.goOn, .enough])
        #expect(outcome == .failed(.malformed))
    }

    @Test(arguments: [
        [], [field("content-length", "")], [field("content-length", "-1")],
        [field("content-length", "+1")], [field("content-length", "1, 1")],
        [field("content-length", "1"), field("content-length", "1")],
        [field("content-length", "1"), field("transfer-encoding", "chunked")],
        [field("transfer-encoding", "gzip, chunked")], [field("transfer-encoding", "gzip")],
        [field("transfer-encoding", "chunked"), field("transfer-encoding", "chunked")],
    ])
    func aValueThatDoesNotSayWhereItEndsIsMalformed(fields: [OriginField]) {
        let (verdicts, outcome) = transcript(200, fields, parts: [1])
        #expect(verdicts == [.enough, .enough])
        #expect(outcome == .failed(.malformed))
    }

    @Test(arguments: [301, 304, 400, 404, 410, 429, 500, 503, 599])
    func anAnswerThatIsNoValueStandsHoweverItsBodyEnds(status: Int) {
        let endings: [ReplyAssembly.Ending] = [
            .whole, .broken(.unreachable), .broken(.timedOut), .broken(.malformed),
        ]
        for ending in endings {
            let (verdicts, outcome) = transcript(
                status, length("50"), parts: [20], ending: ending, isConditional: true)
            #expect(verdicts == [.goOn, .goOn])
            #expect(outcome == answered(status, length("50"), 0))
        }
        let aborted = transcript(status, [], ending: .broken(.cancelled), isConditional: true)
        #expect(aborted.1 == .failed(.cancelled))
    }

    @Test func anUnusedBodyIsReadOnlyUpToABound() {
        let (verdicts, outcome) = transcript(404, [], parts: [65_536, 1])
        #expect(verdicts == [.goOn, .goOn, .enough])
        #expect(outcome == answered(404, [], 0))
    }

    @Test func a304WithoutAConditionalRequestIsMalformed() {
        #expect(transcript(304, []).1 == .failed(.malformed))
        #expect(transcript(304, [], isConditional: true).1 == answered(304, [], 0))
    }

    @Test func a204IsAnEmptyValue() {
        #expect(transcript(204, []).1 == answered(204, [], 0))
    }

    @Test(arguments: [0, 99, 100, 101, 199])
    func aStatusThatEndsNothingIsMalformed(status: Int) {
        #expect(transcript(status, []).1 == .failed(.malformed))
    }

    @Test func fieldsAreBounded() {
        let whole = Self.field("a", String(repeating: "x", count: 65_535))
        #expect(transcript(404, [whole]).1 == answered(404, [whole], 0))
        let over = [whole, Self.field("b", "")]
        #expect(transcript(404, over).1 == .failed(.malformed))
    }

    @Test func withoutAHeadThereIsNoAnswer() {
        let untouched = ReplyAssembly(valueBytesMax: 10, isConditional: false)
        #expect(untouched.outcome(of: .whole, elapsed: .zero) == .failed(.malformed))
        #expect(untouched.outcome(of: .broken(.timedOut), elapsed: .zero) == .failed(.timedOut))
        var early = untouched
        let verdict = Self.received(1, by: &early)
        #expect(verdict == .enough)
    }
}
