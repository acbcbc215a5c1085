import ByteCoding
import CacheAccess
import CacheModel
import Testing

@testable import AccessControl
@testable import ZeroMQ

@Suite struct AccessStateTests {
    private func request(
        _ key: [UInt8]?, _ domain: String = "data"
    ) throws -> ZAPRequest {
        let words = ["1.0", "1", domain, "10.0.0.7", "", key == nil ? "NULL" : "CURVE"]
        return try #require(ZAPRequest(words.map { Array($0.utf8) } + (key.map { [$0] } ?? [])))
    }

    private func verdict(
        _ book: AccessState, _ key: Int, _ domain: String = "data", at now: Int = 0
    ) throws -> ZAPVerdict {
        book.decide(try request(Sample.key(key).bytes, domain), at: now).0
    }

    private func refusal(
        _ book: AccessState, _ key: Int, _ domain: String = "data", at now: Int = 0
    ) throws -> String? {
        let (verdict, refusal) = book.decide(
            try request(Sample.key(key).bytes, domain), at: now)
        #expect((verdict == .refused) == (refusal != nil))
        return refusal
    }

    @Test func keysAreNumberedAsTheyAppearAndNeverAnew() throws {
        let (a, b, c) = (
            "a \(Sample.digits(1)) read", "b \(Sample.digits(2)) read",
            "c \(Sample.digits(3)) read"
        )
        var book = AccessState(try Sample.list(a, b))
        #expect(try verdict(book, 1) == .admitted(1))
        #expect(try verdict(book, 2) == .admitted(2))
        book.replace(try Sample.list(c, b))
        #expect(try verdict(book, 1) == .refused)
        #expect(try verdict(book, 2) == .admitted(2))
        #expect(try verdict(book, 3) == .admitted(3))
        let table = book.table(at: 0)
        #expect(table.entry(of: .unknown) == nil)
        #expect(table.entry(of: PrincipalNumber(rawValue: 1)) == nil)
        #expect(table.entry(of: PrincipalNumber(rawValue: 2))?.name == "b")
        #expect(table.entry(of: PrincipalNumber(rawValue: 3))?.name == "c")
        #expect(table.entry(of: PrincipalNumber(rawValue: 4)) == nil)
        book.replace(.empty)
        #expect(try (1...3).allSatisfy { try verdict(book, $0) == .refused })
        #expect(book.table(at: 0).entry(of: PrincipalNumber(rawValue: 2)) == nil)
        book.replace(try Sample.list(c, a))
        #expect(try verdict(book, 1) == .admitted(1), "who comes back is who it was")
        #expect(try verdict(book, 3) == .admitted(3))
    }

    @Test func aRenamedPublicKeyKeepsItsNumberAndGetsNewRights() throws {
        var book = AccessState(try Sample.list("a \(Sample.digits(1)) read"))
        book.replace(try Sample.list("b \(Sample.digits(1)) write"))
        let entry = book.table(at: 0).entry(of: PrincipalNumber(rawValue: 1))
        #expect(entry?.name == "b" && entry?.rights == .write)
    }

    @Test func aConnectionWithoutAListedPublicKeyIsRefused() throws {
        let book = AccessState(try Sample.list("a \(Sample.digits(1)) admin"))
        #expect(try refusal(book, 2) == "its key is not in the list")
        #expect(book.decide(try request(nil), at: 0).refusal == "it shows no key")
        #expect(try refusal(AccessState(.empty), 1) == "its key is not in the list")
    }

    @Test func anEntryHoldsToTheSecondOfItsEnd() throws {
        let book = AccessState(
            try Sample.list("a \(Sample.digits(1)) node * 1970-01-01T00:01:40Z"))
        #expect(try verdict(book, 1, at: 99) == .admitted(1))
        #expect(try refusal(book, 1, at: 100) == "the entry of “a” is past its date")
        #expect(book.table(at: 99).entry(of: PrincipalNumber(rawValue: 1)) != nil)
        #expect(book.table(at: 100).entry(of: PrincipalNumber(rawValue: 1)) == nil)
        #expect(try verdict(book, 1, at: 99) == .admitted(1), "a clock may be set back")
    }

    @Test func eachDomainAdmitsTheRolesItIsFor() throws {
        let rights = ["read", "read a", "write", "metrics", "admin", "admin a", "node", "relay"]
        let lines = rights.enumerated().map { "n \(Sample.digits($0 + 1)) \($1)" }
        let book = AccessState(try AccessList(parsing: lines.joined(separator: "\n")))
        let listening: Set = ["read", "admin", "node", "relay"]
        for (index, right) in rights.enumerated() {
            let number = ZAPVerdict.admitted(UInt32(index + 1))
            #expect(try verdict(book, index + 1, "data") == number)
            #expect(try verdict(book, index + 1, "control") == number)
            let live = try verdict(book, index + 1, "live")
            #expect(live == (listening.contains(right) ? number : .refused), "\(right)")
            for domain in ["", "Data", "unspecified", "data "] {
                #expect(try verdict(book, index + 1, domain) == .refused)
            }
        }
        #expect(
            try refusal(book, 2, "live")
                == "“n” may not listen to all invalidations: that takes read on *, node or relay")
    }

    @Test func aCrowdOfStrangersIsNamedSixteenTimesAMinute() {
        var book = AccessState(.empty)
        let start = Instant(nanoseconds: 5_000_000_000)
        func complaints(_ count: Int, after seconds: Double) -> Int {
            let now = start.advanced(by: .seconds(seconds))
            return (0..<count).count { _ in book.mayComplain(now: now) }
        }
        #expect(complaints(10, after: 0) == 10)
        #expect(complaints(100, after: 1) == 6)
        #expect(complaints(100, after: 59.9) == 0)
        #expect(complaints(100, after: 60) == 16)
        #expect(complaints(1, after: 119.9) == 0)
        #expect(complaints(1, after: 120) == 1)
    }
}
