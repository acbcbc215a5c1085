import CacheModel
import CacheLoading
import Testing

@Suite struct AttemptVerdictTests {
    typealias Row = (outcome: AttemptOutcome, another: Bool, jam: Bool, AttemptVerdict.Health)

    static let rows: [Row] = [
        (.answered(status: 200), false, false, .good),
        (.answered(status: 304), false, false, .good),
        (.answered(status: 404), false, false, .good),
        (.answered(status: 401), false, false, .good),
        (.answered(status: 408), true, false, .unsaid),
        (.answered(status: 425), true, false, .unsaid),
        (.answered(status: 429), true, true, .unsaid),
        (.answered(status: 500), true, false, .failed),
        (.answered(status: 502), true, false, .failed),
        (.answered(status: 503), true, true, .failed),
        (.answered(status: 504), true, true, .failed),
        (.failed(.timedOut), true, true, .failed),
        (.failed(.unreachable), true, true, .failed),
        (.failed(.tooLarge), false, false, .good),
        (.failed(.malformed), false, false, .good),
    ]

    @Test(arguments: rows.indices)
    func everyOutcomeMeansOneThing(index: Int) {
        let row = Self.rows[index]
        let verdict = AttemptVerdict(of: row.outcome)
        #expect(verdict.isWorthAnother == row.another)
        #expect(verdict.isCongestion == row.jam)
        #expect(verdict.health == row.3)
    }

    @Test func onlyWhatIsWorthAnotherSaysWhen() {
        let busy = AttemptVerdict(of: .answered(status: 503, retryAfter: "3"))
        let value = AttemptVerdict(of: .answered(status: 200, retryAfter: "3"))
        #expect(busy.retryAfter == .seconds(3))
        #expect(value.retryAfter == nil)
    }
}
