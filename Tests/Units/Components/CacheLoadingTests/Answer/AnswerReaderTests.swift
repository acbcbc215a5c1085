import CacheModel
import Testing

@testable import CacheLoading

/// What a status comes to.
@Suite struct AnswerReaderTests {
    @Test(arguments: [200, 203])
    func aValueIsTheBody(status: Int) throws {
        let answer = try AnswerSample(status: status).read()
        #expect(answer == .value([1, 2, 3], LoadedFacts()))
    }

    @Test func noContentIsAnEmptyValue() throws {
        let answer = try AnswerSample(status: 204, lines: ["ETag: \"e\""]).read()
        var facts = LoadedFacts()
        facts.validator = Validator("\"e\"")
        #expect(answer == .value([], facts))
    }

    @Test(arguments: [404, 410])
    func thatThereIsNoneIsAnAnswer(status: Int) throws {
        let answer = try AnswerSample(status: status).read()
        #expect(answer == .absent(LoadedFacts()))
    }

    @Test func whatIsAbsentHasALifetimeIfItSaysOneAndTags() throws {
        let lines = ["Cache-Control: max-age=7", "Surrogate-Key: a", "ETag: \"page\""]
        let facts = try AnswerSample(status: 404, lines: lines).facts()
        #expect(facts.lifetime == .seconds(7))
        #expect(facts.tags == [try #require(Tag("a"))])
        #expect(facts.validator == nil, "it would be the page's that says so")
        let silent = try AnswerSample(status: 410, lines: ["Last-Modified: \(today)"]).facts()
        #expect(silent.lifetime == nil)
        #expect(silent.validator == nil)
    }

    @Test func whatIsAbsentMayBeForbiddenToBeKept() throws {
        let lines = ["Cache-Control: no-store"]
        let facts = try AnswerSample(status: 404, lines: lines).facts()
        #expect(!facts.mayStore)
    }

    /// Every status from below the first to beyond the last, against the table once more.
    @Test func everyStatusIsOneOfFive() throws {
        for status in Array(-1...1_100) + [.min, .max] {
            let answer = try AnswerSample(status: status).read()
            let due: ReadAnswer =
                switch status {
                case 200, 203: .value([1, 2, 3], LoadedFacts())
                case 204: .value([], LoadedFacts())
                case 304: .failed(.malformed, retryAfter: nil)
                case 404, 410: .absent(LoadedFacts())
                case 408, 425, 429: .failed(.unavailable, retryAfter: nil)
                case _ where status < 100 || status > 499: .failed(.unavailable, retryAfter: nil)
                default: .failed(.refused, retryAfter: nil)
                }
            #expect(answer == due, "\(status)")
        }
    }

    @Test(arguments: [100, 201, 202, 205, 206, 207, 226, 301, 302, 307, 308, 400, 401, 403, 418])
    func whatIsNoValueIsRefusedWithoutATimeToComeBack(status: Int) throws {
        let answer = try AnswerSample(status: status, lines: ["Retry-After: 5"]).read()
        #expect(answer == .failed(.refused, retryAfter: nil))
    }

    // MARK: The body

    @Test(arguments: [
        "gzip", "br", "GZip", "identity, gzip", "gzip, identity", "x", "\"identity\"", "identityx",
    ])
    func anEncodedBodyIsKeptWithItsCoding(coding: String) throws {
        let members = coding.split(separator: ", ").filter { $0 != "identity" }
        for status in [200, 203] {
            let answer = try AnswerSample(
                status: status, lines: ["Content-Encoding: \(coding)"]
            ).read()
            let kept = answer.facts?.representation.contentEncoding
            #expect(kept == RepresentationField(members.joined(separator: ", ")))
        }
        let empty = try AnswerSample(
            status: 204, lines: ["Content-Encoding: \(coding)"]
        ).read()
        #expect(empty == .value([], LoadedFacts()), "there is nothing in a coding")
        let absent = try AnswerSample(
            status: 404, lines: ["Content-Encoding: \(coding)"]
        ).read()
        #expect(absent == .absent(LoadedFacts()), "its body is nobody's")
    }

    @Test(arguments: ["identity", "Identity", " identity ", "", ",", "identity,, identity"])
    func noCodingIsNoEncoding(coding: String) throws {
        let answer = try AnswerSample(lines: ["content-encoding:\(coding)"]).read()
        #expect(answer == .value([1, 2, 3], LoadedFacts()))
    }

    @Test func aCodingOnASecondLineCounts() throws {
        let lines = ["Content-Encoding: identity", "Content-Encoding: gzip"]
        let facts = try AnswerSample(lines: lines).facts()
        #expect(facts.representation.contentEncoding == RepresentationField("gzip"))
    }

    /// Without its coding nobody could read it.
    @Test(arguments: ["gzip é", "gzip, \u{1}", String(repeating: "g", count: 256)])
    func aCodingThatCannotBeKeptMakesItMalformed(coding: String) throws {
        let answer = try AnswerSample(lines: ["Content-Encoding: \(coding)"]).read()
        #expect(answer == .failed(.malformed, retryAfter: nil))
    }

    @Test func aValueMayBeAsLongAsAllowedAndNotLonger() throws {
        let fitting = try AnswerSample(body: [1, 2], valueBytesMax: 2).read()
        #expect(fitting == .value([1, 2], LoadedFacts()))
        let longer = try AnswerSample(body: [1, 2, 3], valueBytesMax: 2).read()
        #expect(longer == .failed(.tooLarge, retryAfter: nil))
        let empty = try AnswerSample(body: [], valueBytesMax: 0).read()
        #expect(empty == .value([], LoadedFacts()))
        let absent = try AnswerSample(status: 404, body: [1, 2, 3], valueBytesMax: 2).read()
        #expect(absent == .absent(LoadedFacts()), "the page that says so is not kept")
    }

    // MARK: Retry-After

    static let waits: [(lines: [String], wait: Duration?)] = [
        ([], nil),
        (["Retry-After: 120"], .seconds(120)),
        (["retry-after: 0"], .zero),
        (["Retry-After: \t7 "], .seconds(7)),
        (["Retry-After: 99999999999999999999999"], .seconds(1 << 31)),
        (["Retry-After: -1"], nil),
        (["Retry-After: 1.5"], nil),
        (["Retry-After: soon"], nil),
        (["Retry-After:"], nil),
        (["Retry-After: 5", "Retry-After: 9", "Retry-After: x"], .seconds(9)),
        (["Retry-After: Sun, 06 Nov 1994 08:49:47 GMT", "Date: \(today)"], .seconds(10)),
        (["Retry-After: Sunday, 06-Nov-94 08:49:47 GMT", "Date: \(today)"], .seconds(10)),
        (["Retry-After: Sun, 06 Nov 1994 08:49:27 GMT", "Date: \(today)"], .zero),
        (["Retry-After: Sun, 06 Nov 1994 08:49:47 GMT"], nil),
        (["Retry-After: Sun, 06 Nov 1994 08:49:47 GMT", "Date: now"], nil),
        (["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "Date: \(today)"], .seconds(1 << 31)),
    ]

    @Test(arguments: waits)
    func anUnavailableOriginMaySendARetryAfter(lines: [String], wait: Duration?) throws {
        for status in [408, 425, 429, 500, 501, 502, 503, 504, 511, 599, 600] {
            let answer = try AnswerSample(status: status, lines: lines).read()
            #expect(answer == .failed(.unavailable, retryAfter: wait))
        }
    }
}

/// The moment at which the answers of the tests are made.
let today = "Sun, 06 Nov 1994 08:49:37 GMT"
