import Testing

@Suite struct TallyTests {
    @Test func aWrongDistributionIsSeen() {
        #expect(abs(Tally.deviation([100, 104, 96, 110, 90])) < 5)
        #expect(Tally.deviation([100, 100, 100, 100, 160]) > 5)
        #expect(Tally.deviation([500, 500], expected: [550, 450]) > 5)
    }
}
