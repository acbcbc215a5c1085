import Testing

@testable import CacheAccess

/// How much an entry grants, as it is written.
@Suite struct AllowanceTests {
    private static let key = String(repeating: "a", count: 64)

    private static func allowance(_ rest: String) throws -> Allowance {
        let list = try AccessList(parsing: "web \(key) read \(rest)")
        return try #require(list.entries.first).allowance
    }

    private static func reason(_ rest: String) -> AccessListProblem.Reason? {
        do throws(AccessListProblem) {
            _ = try AccessList(parsing: "web \(key) read \(rest)")
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func nothingSaidIsNoBound() throws {
        #expect(try Self.allowance("") == .unlimited)
        #expect(try !Self.allowance("").hasRates)
        #expect(try !Self.allowance("waiting=5").hasRates)
    }

    @Test func eachWordSetsItsBoundWhereverItStands() throws {
        for rest in [
            "* 2030-01-01 ops=5000/s bytes=20MiB/s waiting=500",
            "waiting=500 * ops=5000/s 2030-01-01 bytes=20MiB/s",
        ] {
            let allowance = try Self.allowance(rest)
            #expect(allowance.operationsPerSecond == 5_000)
            #expect(allowance.bytesPerSecond == 20 << 20)
            #expect(allowance.waitingMax == 500)
        }
        #expect(try Self.allowance("bytes=1GiB/s").bytesPerSecond == 1 << 30)
        #expect(try Self.allowance("bytes=7B/s").bytesPerSecond == 7)
    }

    @Test func theBeginningOfKeysMayHaveAnEqualsSign() throws {
        let list = try AccessList(parsing: "web \(Self.key) read images/id=,sessions ops=1/s")
        let entry = try #require(list.entries.first)
        #expect(entry.patterns.count == 2 && entry.allowance.operationsPerSecond == 1)
        #expect(entry.may(.read, keysBeginning: "id=7".utf8, in: "images".utf8))
    }

    @Test(arguments: [
        "ops=", "ops=0/s", "ops=-1/s", "ops=5", "ops=5/m", "ops=5MiB/s", "ops=1.5/s", "OPS=1/s",
        "bytes=5/s", "bytes=5MB/s", "bytes=MiB/s", "bytes=20 MiB/s", "waiting=5/s", "waiting=0",
        "rate=5/s", "=", "ops=99999999999999999999/s", "bytes=9999999999GiB/s", "ops=٥/s",
    ])
    func whatIsNoBoundIsRefused(word: String) {
        guard case .allowance = Self.reason(word) else {
            Issue.record("\(word) was taken for a bound")
            return
        }
    }

    @Test func aBoundIsSaidOnce() {
        #expect(Self.reason("ops=5/s ops=5/s") == .allowanceTwice("ops=5/s"))
    }
}
