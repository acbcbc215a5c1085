import CacheModel
import CacheMetrics
import Testing

@Suite struct CollectorTests {
    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://otel.example/", "https://otel.example/v1/traces"),
        ("http://[::1]:4318/base//", "http://[::1]:4318/base/v1/traces"),
        ("http://collector", "http://collector/v1/traces"),
    ])
    func aPlaceIsAURL(text: String, url: String) throws {
        #expect(try CollectorPlace(text).url == url)
    }

    @Test(arguments: [
        "", "127.0.0.1:4318", "grpc://a:4317", "http://", "http://:4318", "http://a:0",
        "http://a:70000", "http://a:b", "http://a b", "http://a/?x=1", "http://a/#x",
        "http://[::1", "http://[::1]x", "http://a:4318\n", "http://ä", "http://a,b",
    ])
    func whatIsNoPlaceIsRefused(text: String) {
        #expect(throws: CollectorPlace.Mistake.self) { try CollectorPlace(text) }
    }

    @Test func aPasswordIsRefusedAndNotRepeated() {
        do throws(CollectorPlace.Mistake) {
            _ = try CollectorPlace("http://me:hunter2@collector:4318")
            Issue.record("it was taken")
        } catch {
            #expect(!error.description.contains("hunter2") && !"\(error)".contains("me:"))
        }
    }

    @Test func onlyTheOriginIsForPeople() throws {
        #expect(try CollectorPlace("http://a:1/secret/path").origin == "http://a:1")
    }

    // MARK: Answers

    @Test(
        arguments: [
            (200, nil, "{}", .taken(refusedCount: 0)), (202, nil, "", .taken(refusedCount: 0)),
            (
                200, nil, #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}}"#,
                .taken(refusedCount: 3)
            ),
            (200, nil, #"{"partialSuccess":{"rejectedSpans":4}}"#, .taken(refusedCount: 4)),
            (200, nil, #"{"partialSuccess":{"rejectedSpans":"-4"}}"#, .taken(refusedCount: 0)),
            (200, nil, #"{"partialSuccess":[]"#, .taken(refusedCount: 0)),
            (400, nil, "", .refused("it answered 400")),
            (404, nil, "", .refused("it answered 404")),
            (301, nil, "", .refused("it answered 301")),
            (500, nil, "", .refused("it answered 500")),
            (429, "7", "", .later("it answered 429", after: .seconds(7))),
            (503, nil, "", .later("it answered 503", after: nil)),
            (502, "-1", "", .later("it answered 502", after: nil)),
            (
                504, "Wed, 21 Oct 2026 07:28:00 GMT", "", .later("it answered 504", after: nil)
            ),
        ] as [(Int, String?, String, CollectorAnswer)])
    func anAnswerMeansWhatTheProtocolSays(
        status: Int, retryAfter: String?, body: String, answer: CollectorAnswer
    ) {
        #expect(
            CollectorAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8))
                == answer)
    }

    // MARK: Shares

    @Test func aShareIsAShareOfRandomIDs() throws {
        let draw = { UInt64.random(in: .min ... .max) }
        for share in [0, 0.25, 1] {
            let ratio = try #require(SpanRatio(share: share))
            var taken = 0
            for _ in 0..<10_000 where ratio.takes(.begun(by: draw)) { taken += 1 }
            // Six deviations of a coin: once in some hundred million runs.
            #expect(abs(Double(taken) - share * 10_000) <= 260 * (share == 0.25 ? 1 : 0))
        }
    }

    @Test func aLargerSampleRatioIncludesEverySmallerOne() throws {
        let small = try #require(SpanRatio(share: 0.01))
        let large = try #require(SpanRatio(share: 0.5))
        let greatest = Sample.context(low: .max)
        #expect(small.takes(greatest) && large.takes(greatest))
        let middle = Sample.context(low: 1 << 55)
        #expect(!small.takes(middle) && large.takes(middle))
        #expect(!large.takes(Sample.context(low: 1 << 55 - 1)))
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity]) func whatIsNoShareIsNone(share: Double) {
        #expect(SpanRatio(share: share) == nil)
    }
}
