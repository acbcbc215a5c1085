import Testing

@testable import CacheAccess

@Suite struct AccessDateTests {
    private func end(_ word: String) -> Int? {
        do {
            return try AccessDate.end(word[...])
        } catch {
            return nil
        }
    }

    @Test(arguments: [
        ("1970-01-01", 86_400), ("1969-12-31", 0), ("2027-01-31", 1_801_440_000),
        ("2028-02-29", 1_835_481_600), ("2000-02-29", 951_868_800), ("9999-12-31", 253_402_300_800),
        ("0000-01-01", -62_167_132_800),
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01Z", 1), ("1969-12-31T23:59:59Z", -1),
        ("2027-01-31T12:00:00Z", 1_801_396_800), ("2016-12-31T23:59:60Z", 1_483_228_799),
        ("2016-12-31T23:59:59Z", 1_483_228_799), ("2017-01-01T00:00:00Z", 1_483_228_800),
    ])
    func aDayEndsWithItAndAMomentThen(word: String, seconds: Int) {
        #expect(end(word) == seconds)
    }

    @Test(arguments: [
        "", "2027", "2027-1-31", "27-01-31", "2027-00-01", "2027-13-01", "2027-01-00", "2027-01-32",
        "2027-04-31", "2027-06-31", "2027-09-31", "2027-11-31", "2027-02-29", "1900-02-29",
        "2100-02-29", "2027/01/31", "2027-01-3a", "2027-01-31 ", "+027-01-31", "-027-01-31",
        "2027-01-31T", "2027-01-31T12:00Z", "2027-01-31T12:00:00", "2027-01-31t12:00:00z",
        "2027-01-31T24:00:00Z", "2027-01-31T23:60:00Z", "2027-01-31T12:00:60Z",
        "2027-01-31T23:58:60Z", "2027-01-31T23:59:61Z", "2027-01-31T12:00:00+0", "２０２７-01-31",
        "2027-01-31T12:00:00Z0", "2027-01-31T12:00:0é",
    ])
    func whatIsNoDateIsRefusedAndShown(word: String) {
        #expect(end(word) == nil)
        #expect(throws: AccessListProblem.Reason.date(AccessName.shown(word[...]))) {
            try AccessDate.end(word[...])
        }
    }

    @Test func anEntryHoldsUntilTheFirstSecondOfItsEnd() throws {
        let entry = try Sample.entry("read * 1970-01-01T00:01:40Z")
        #expect(entry.endsAt == 100)
        #expect((-5..<100).allSatisfy { entry.isInForce(at: $0) })
        #expect((100..<200).allSatisfy { !entry.isInForce(at: $0) })
        #expect(try Sample.entry("read").isInForce(at: .max))
    }
}
