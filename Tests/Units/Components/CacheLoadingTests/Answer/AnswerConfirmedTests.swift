import CacheModel
import Testing

@testable import CacheLoading

/// A 304 updates what the stored answer said of its freshness, field by field: RFC 9111, 3.2 and
/// 4.3.4.
@Suite struct AnswerConfirmedTests {
    /// Lines of the stored answer, lines of the 304, and what holds then, in seconds.
    struct Sample: Sendable, CustomTestStringConvertible {
        var stored: [String]
        var told: [String]
        var lifetime: Int64?
        var whileLoading: Int64?
        var failing: Int64?

        init(
            _ stored: [String], _ told: [String], _ lifetime: Int64?, _ whileLoading: Int64? = nil,
            _ failing: Int64? = nil
        ) {
            (self.stored, self.told) = (stored, told)
            (self.lifetime, self.whileLoading, self.failing) = (lifetime, whileLoading, failing)
        }

        var testDescription: String { "\(stored) then \(told)" }
    }

    private static let today = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
    private static let nextMinute = "Date: Sun, 06 Nov 1994 08:50:37 GMT"
    private static let inTwoMinutes = "Expires: Sun, 06 Nov 1994 08:51:37 GMT"
    private static let inThreeMinutes = "Expires: Sun, 06 Nov 1994 08:52:37 GMT"

    static let samples: [Sample] = [
        // Nothing is said: what was said stays, and not the namespace's time to live.
        Sample(["Cache-Control: max-age=7"], [], 7),
        Sample(["Cache-Control: max-age=7"], ["Age: 5"], 2),
        Sample(["Cache-Control: s-maxage=7, max-age=9"], [], 7, 0, 0),
        Sample(["Cache-Control: no-cache"], [], 0, 0, 0),
        Sample(["Pragma: no-cache"], [], 0, 0, 0),
        Sample(["Cache-Control: max-age=0"], [today], 0),
        Sample(["Cache-Control: max-age=7, must-revalidate"], [], 7, 0, 0),
        Sample(["Cache-Control: max-age=7, stale-while-revalidate=5"], [], 7, 5),
        Sample(["Cache-Control: max-age=7, stale-if-error=5"], [], 7, nil, 5),
        Sample([], [], nil),
        Sample(["Cache-Control: public"], [], nil),
        // Cache-Control is one field: the new one counts for all of its directives.
        Sample(["Cache-Control: max-age=7"], ["Cache-Control: max-age=9"], 9),
        Sample(["Cache-Control: max-age=7, stale-if-error=5"], ["Cache-Control: max-age=9"], 9),
        Sample(["Cache-Control: no-cache"], ["Cache-Control: max-age=9"], 9),
        Sample(["Cache-Control: max-age=7"], ["Cache-Control: public"], nil),
        Sample(["Cache-Control: max-age=7"], ["Cache-Control: no-cache"], 0, 0, 0),
        // Expires and Date are two fields more.
        Sample([inTwoMinutes, today], [nextMinute], 60),
        Sample([inTwoMinutes, today], [nextMinute, inThreeMinutes], 120),
        Sample([inTwoMinutes, today], [], 0),
        Sample([inTwoMinutes, today], [nextMinute, "Cache-Control: public"], 60),
        Sample([inTwoMinutes, today], [nextMinute, "Cache-Control: max-age=9"], 9),
        Sample(["Cache-Control: max-age=7"], [nextMinute, inThreeMinutes], 7),
        Sample([], [nextMinute, inThreeMinutes], 120),
    ]

    @Test(arguments: samples)
    func whatA304DoesNotSayStaysAsItWas(sample: Sample) throws {
        let stored = try AnswerSample(lines: sample.stored + ["ETag: \"e\""]).facts()
        var terms = LoadTerms(
            staleWhileRevalidate: stored.staleWhileRevalidate ?? .seconds(100),
            staleIfError: stored.staleIfError ?? .seconds(100))
        terms.said = stored.said
        let read = terms.stored(with: stored.validator).withUnsafeBytes { LoadTerms(stored: $0) }
        let facts = try AnswerSample(
            status: 304, lines: sample.told, asked: "\"e\"", held: read
        ).facts()
        #expect(facts.lifetime == sample.lifetime.map { .seconds($0) })
        #expect(facts.staleWhileRevalidate == sample.whileLoading.map { .seconds($0) })
        #expect(facts.staleIfError == sample.failing.map { .seconds($0) })
    }

    @Test func aNamespaceThatDecidesAloneDecidesOnConfirmationsToo() throws {
        var terms = LoadTerms()
        var said = SaidFreshness()
        said.lifetime = .seconds(7)
        terms.said = said
        var sample = AnswerSample(status: 304, asked: "\"e\"", held: terms)
        sample.policy.lifetimeSource = .namespace
        #expect(try sample.facts().lifetime == nil)
    }
}
