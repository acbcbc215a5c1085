import CacheModel
import Testing

@testable import CacheLoading

/// For how long an answer holds.
@Suite struct AnswerTimesTests {
    /// Lines, and what they make of lifetime, window while loading, window when failing – in
    /// seconds.
    typealias Times = (lines: [String], lifetime: Int64?, whileLoading: Int64?, failing: Int64?)

    static let mostSeconds: Int64 = 1 << 31

    static let plain: [Times] = [
        ([], nil, nil, nil),
        (["Cache-Control:"], nil, nil, nil),
        (["Cache-Control: public, immutable"], nil, nil, nil),
        (["Cache-Control: max-age=60"], 60, nil, nil),
        (["cache-CONTROL: MAX-Age=60"], 60, nil, nil),
        (["Cache-Control: max-age=0"], 0, nil, nil),
        (["Cache-Control: max-age=\"60\""], 60, nil, nil),
        (["Cache-Control: max-age=\"6\\0\""], 60, nil, nil),
        (["Cache-Control: max-age=0060"], 60, nil, nil),
        (["Cache-Control: ,, max-age=60 ,\t, "], 60, nil, nil),
        (["Cache-Control: public", "Cache-Control: max-age=60"], 60, nil, nil),
        (["Cache-Control: max-age=60, x=\"a, max-age=1, b\""], 60, nil, nil),
        (["Cache-Control: x=\"\\\", max-age=1\", max-age=60"], 60, nil, nil),
        (["Cache-Control: max-age=60, max-ages=1, xmax-age=2, max-age-=3"], 60, nil, nil),
        (["Cache-Control: max-age=60, s-maxage=30"], 30, 0, 0),
        (["Cache-Control: s-maxage=90, max-age=60"], 90, 0, 0),
        (["Cache-Control: stale-while-revalidate=5, stale-if-error=9"], nil, 5, 9),
        (["Cache-Control: max-age=1, stale-while-revalidate=\"5\""], 1, 5, nil),
        (["Cache-Control: max-age=2147483648"], mostSeconds, nil, nil),
        (["Cache-Control: max-age=2147483649"], mostSeconds, nil, nil),
        (["Cache-Control: max-age=99999999999999999999999999"], mostSeconds, nil, nil),
        (["Cache-Control: stale-if-error=18446744073709551616"], nil, nil, mostSeconds),
    ]

    static let doubled: [Times] = [
        (["Cache-Control: max-age=60, max-age=30"], 30, nil, nil),
        (["Cache-Control: max-age=30", "Cache-Control: max-age=60"], 30, nil, nil),
        (["Cache-Control: max-age=30, max-age=x"], 0, nil, nil),
        (["Cache-Control: s-maxage=30, max-age=9, s-maxage=20"], 20, 0, 0),
        (["Cache-Control: stale-if-error=30, stale-if-error=20"], nil, nil, 20),
        (["Cache-Control: no-cache, max-age=60"], 0, 0, 0),
    ]

    static let illegible: [Times] = [
        (["Cache-Control: max-age"], 0, nil, nil),
        (["Cache-Control: max-age="], 0, nil, nil),
        (["Cache-Control: max-age=-1"], 0, nil, nil),
        (["Cache-Control: max-age=+1"], 0, nil, nil),
        (["Cache-Control: max-age=1.5"], 0, nil, nil),
        (["Cache-Control: max-age=1e3"], 0, nil, nil),
        (["Cache-Control: max-age=0x10"], 0, nil, nil),
        (["Cache-Control: max-age=60s"], 0, nil, nil),
        (["Cache-Control: max-age=٦٠"], 0, nil, nil),
        (["Cache-Control: max-age=\" 60\""], 0, nil, nil),
        (["Cache-Control: max-age='60'"], 0, nil, nil),
        (["Cache-Control: max-age =60"], 0, 0, 0),
        (["Cache-Control: max-age= 60"], 0, 0, 0),
        (["Cache-Control: max-age 60"], 0, 0, 0),
        (["Cache-Control: max-age=6\u{0}0"], 0, 0, 0),
        (["Cache-Control: max-age=\u{0}60"], 0, 0, 0),
        (["Cache-Control: s-maxage=x, max-age=60"], 0, 0, 0),
        (["Cache-Control: max-age=60, stale-while-revalidate=x"], 60, 0, nil),
        (["Cache-Control: max-age=60, stale-if-error"], 60, nil, 0),
        // A missing comma.
        (["Cache-Control: public max-age=60"], 0, 0, 0),
        (["Cache-Control: max-age=60 stale-if-error=9, public"], 0, 0, 0),
        (["Cache-Control: max-age=60;stale-if-error=9"], 0, nil, nil),
        // A quote without an end, or with something stuck to it.
        (["Cache-Control: max-age=60, x=\""], 0, 0, 0),
        (["Cache-Control: max-age=60, x=\"a", "Cache-Control: stale-if-error=9"], 0, 0, 0),
        (["Cache-Control: x=\"\\\", max-age=60"], 0, 0, 0),
        (["Cache-Control: max-age=\"60\"0"], 0, 0, 0),
        (["Cache-Control: max-age=\"60"], 0, 0, 0),
        (["Cache-Control: x=\"a\"\"b\", stale-while-revalidate=9"], 0, 0, 0),
        // Quotes that begin nothing.
        (["Cache-Control: \", max-age=60"], 60, nil, nil),
        (["Cache-Control: x=a\"b, max-age=60"], 60, nil, nil),
        (["Cache-Control: \"max-age=1\", max-age=60"], 60, nil, nil),
    ]

    static let revalidated: [Times] = [
        (["Cache-Control: no-cache"], 0, 0, 0),
        (["Cache-Control: No-Cache, stale-if-error=9, stale-while-revalidate=9"], 0, 0, 0),
        (["Cache-Control: must-revalidate"], nil, 0, 0),
        (["Cache-Control: max-age=6, Must-Revalidate, stale-if-error=9"], 6, 0, 0),
        (["Cache-Control: max-age=6, proxy-revalidate, stale-while-revalidate=9"], 6, 0, 0),
        (["Cache-Control: s-maxage=6, stale-while-revalidate=9"], 6, 0, 0),
        (["Cache-Control: max-age=6, must-revalidate=no"], 6, 0, 0),
        // Without the comma it is still there.
        (["Cache-Control: max-age=6 no-cache"], 0, 0, 0),
        // With names of fields.
        (["Cache-Control: max-age=6, no-cache=\"Set-Cookie\""], 6, nil, nil),
        (["Cache-Control: max-age=6, no-cache=Set-Cookie"], 6, nil, nil),
        (["Cache-Control: max-age=6, no-cache=\"Set-Cookie, etag\""], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache=\"last-modified\""], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache=Surrogate-Key"], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache=\"\""], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache=\" , \""], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache="], 0, 0, 0),
        (["Cache-Control: max-age=6, no-cache=\"Set Cookie\""], 0, 0, 0),
        // Pragma, where there is nothing else.
        (["Pragma: no-cache"], 0, 0, 0),
        (["Pragma: x, NO-CACHE"], 0, 0, 0),
        (["Pragma: x"], nil, nil, nil),
        (["Pragma: max-age=5"], nil, nil, nil),
        (["Pragma: no-cache", "Cache-Control: max-age=6"], 6, nil, nil),
        (["Pragma: no-cache", "Cache-Control:"], nil, nil, nil),
        (["Pragma: no-cache", "Expires: \(later)", "Date: \(today)"], 0, 0, 0),
    ]

    static let later = "Sun, 06 Nov 1994 08:50:37 GMT"

    static let expiring: [Times] = [
        (["Expires: \(later)", "Date: \(today)"], 60, nil, nil),
        (["Expires: \(today)", "Date: \(later)"], 0, nil, nil),
        (["Expires: \(today)", "Date: \(today)"], 0, nil, nil),
        (["Expires: Sunday, 06-Nov-94 08:50:37 GMT", "Date: \(today)"], 60, nil, nil),
        (["Expires: Sun Nov  6 08:50:37 1994", "Date: \(today)"], 60, nil, nil),
        (["Expires: \(later)", "Date: Sun Nov  6 08:49:37 1994"], 60, nil, nil),
        (["Expires: Fri, 31 Dec 9999 23:59:59 GMT", "Date: \(today)"], mostSeconds, nil, nil),
        (["Expires: \(later)", "Date: \(today)", "Cache-Control: max-age=5"], 5, nil, nil),
        (["Expires: \(later)", "Date: \(today)", "Cache-Control: public"], 60, nil, nil),
        (["Expires: \(later)", "Date: \(today)", "Cache-Control: s-maxage=5"], 5, 0, 0),
        // No date.
        (["Expires: 0", "Date: \(today)"], 0, nil, nil),
        (["Expires: -1", "Date: \(today)"], 0, nil, nil),
        (["Expires:", "Date: \(today)"], 0, nil, nil),
        (["Expires: \(later)"], 0, nil, nil),
        (["Expires: \(later)", "Date:"], 0, nil, nil),
        (["Expires: \(later)", "Date: yesterday"], 0, nil, nil),
        (["Expires: Sun, 06 Nov 1994 09:50:37 CET", "Date: \(today)"], 0, nil, nil),
        // More than one.
        (["Expires: \(later)", "Date: \(today)", "Date: \(today)"], 60, nil, nil),
        (["Expires: \(later)", "Date: \(today)", "Date: \(later)"], 0, nil, nil),
        (["Expires: \(later)", "Expires: \(later)", "Date: \(today)"], 60, nil, nil),
        (["Expires: \(later)", "Expires: \(today)", "Date: \(today)"], 0, nil, nil),
        (["Expires: \(later)", "Expires: never", "Date: \(today)"], 0, nil, nil),
        (["Date: \(today)", "Last-Modified: Sun, 06 Nov 1984 08:49:37 GMT"], nil, nil, nil),
    ]

    @Test(arguments: plain + doubled + illegible + revalidated + expiring)
    func fieldsSayForHowLongAnAnswerHolds(times: Times) throws {
        let facts = try AnswerSample(lines: times.lines).facts()
        #expect(facts.lifetime == times.lifetime.map { .seconds($0) })
        #expect(facts.staleWhileRevalidate == times.whileLoading.map { .seconds($0) })
        #expect(facts.staleIfError == times.failing.map { .seconds($0) })
        #expect(facts.age == .zero)
        #expect(facts.mayStore)
    }

    /// The same words say the same of what is confirmed, and of what is absent.
    @Test(arguments: plain + doubled + illegible + revalidated + expiring)
    func everyKindOfAnswerSaysItsTimesInTheSameWay(times: Times) throws {
        let value = try AnswerSample(lines: times.lines).facts()
        let absent = try AnswerSample(status: 404, lines: times.lines).facts()
        let unchanged = try AnswerSample(status: 304, lines: times.lines, asked: "\"e\"").facts()
        for facts in [absent, unchanged] {
            #expect(facts.lifetime == value.lifetime)
            #expect(facts.staleWhileRevalidate == value.staleWhileRevalidate)
            #expect(facts.staleIfError == value.staleIfError)
        }
    }

    @Test(arguments: plain + doubled + illegible + revalidated + expiring)
    func aNamespaceThatDecidesHearsNothingOfIt(times: Times) throws {
        var sample = AnswerSample(lines: times.lines + ["Age: 4"])
        sample.policy.lifetimeSource = .namespace
        let facts = try sample.facts()
        #expect(facts.lifetime == nil)
        #expect(facts.staleWhileRevalidate == nil)
        #expect(facts.staleIfError == nil)
        #expect(facts.age == .seconds(4))
        #expect(facts.mayStore)
    }

    // MARK: Age

    static let ages: [(lines: [String], elapsed: Duration, age: Duration)] = [
        ([], .zero, .zero),
        ([], .milliseconds(250), .milliseconds(250)),
        (["Age: 10"], .milliseconds(250), .milliseconds(10_250)),
        (["age:\t10 "], .zero, .seconds(10)),
        (["Age: 10, 20"], .zero, .seconds(10)),
        (["Age: , 10"], .zero, .seconds(10)),
        (["Age: 10", "Age: 20"], .zero, .seconds(10)),
        (["Age:", "Age: 20"], .zero, .seconds(20)),
        (["Age: x, 20"], .seconds(1), .seconds(1)),
        (["Age: -5"], .zero, .zero),
        (["Age: 5.5"], .zero, .zero),
        (["Age: \"5\""], .zero, .zero),
        (["Age: 99999999999999999999999999"], .seconds(1), .seconds(1 << 31 + 1)),
        ([], .seconds(-5), .zero),
        (["Age: 99999999999"], .seconds(Int64.max), .seconds(1 << 32)),
        ([], .seconds(Int64.min), .zero),
    ]

    @Test(arguments: ages)
    func ageIsWhatACacheSaysAndHowLongTheAnswerTook(
        lines: [String], elapsed: Duration, age: Duration
    ) throws {
        let facts = try AnswerSample(lines: lines, elapsed: elapsed).facts()
        #expect(facts.age == age)
        #expect(facts.lifetime == nil)
    }

    static let left: [(control: String, age: Int, lifetime: Int64, window: Int64?)] = [
        ("max-age=60", 0, 60, nil),
        ("max-age=60", 20, 40, nil),
        ("max-age=60", 60, 0, nil),
        ("max-age=60", 100, 0, nil),
        ("max-age=60, stale-if-error=30", 20, 40, 30),
        ("max-age=60, stale-if-error=30", 60, 0, 30),
        ("max-age=60, stale-if-error=30", 70, 0, 20),
        ("max-age=60, stale-if-error=30", 90, 0, 0),
        ("max-age=60, stale-if-error=30", 1_000, 0, 0),
        ("max-age=x, stale-if-error=30", 10, 0, 20),
        ("max-age=99999999999", 99_999_999_999, 0, nil),
    ]

    /// The lifetime begins when the value is made, not when it arrives, and the window where the
    /// lifetime ends.
    @Test(arguments: left)
    func anAgeIsTakenOffTheLifetimeAndThenOffTheWindow(
        control: String, age: Int, lifetime: Int64, window: Int64?
    ) throws {
        let facts = try AnswerSample.facts("Cache-Control: \(control)", "Age: \(age)")
        #expect(facts.lifetime == .seconds(lifetime))
        #expect(facts.staleIfError == window.map { .seconds($0) })
    }

    @Test func anAgeLeavesTheWindowsOfAnAnswerWithoutLifetimeAlone() throws {
        let facts = try AnswerSample.facts("Cache-Control: stale-while-revalidate=3", "Age: 100")
        #expect(facts.lifetime == nil)
        #expect(facts.staleWhileRevalidate == .seconds(3))
    }

    @Test func anAnswerThatTookLongerThanItsLifetimeIsStale() throws {
        let lines = ["Cache-Control: max-age=3"]
        let facts = try AnswerSample(lines: lines, elapsed: .milliseconds(2_500)).facts()
        #expect(facts.lifetime == .milliseconds(500))
        let late = try AnswerSample(lines: lines, elapsed: .milliseconds(3_500)).facts()
        #expect(late.lifetime == .zero)
    }

    /// Date is only ever held against fields of the same answer.
    @Test(arguments: ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", today])
    func theOriginsClockMakesNothingOld(date: String) throws {
        let facts = try AnswerSample.facts("Cache-Control: max-age=60", "Date: \(date)")
        #expect(facts.age == .zero)
        #expect(facts.lifetime == .seconds(60))
    }
}
