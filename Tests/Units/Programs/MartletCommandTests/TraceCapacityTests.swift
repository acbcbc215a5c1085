import CacheConfiguration
import Testing

@testable import martlet

@Suite struct TraceCapacityTests {
    @Test(arguments: [
        ("1%", 20_484, 204), ("0.1%", 20_484, 20), ("20%", 20_484, 4_096), ("100%", 7, 7),
        ("0.000001%", 20_484, 1), ("12.5%", 8, 1), ("1000", 7, 1_000),
        ("64MiB", 7, 64 << 20), ("64MB", 7, 64_000_000), ("100%", .max, .max),
    ])
    func aShareIsRoundedDownAndAtLeastOne(text: String, footprint: Int, size: Int) throws {
        #expect(try TraceCapacity(text).resolved(of: footprint) == size)
    }

    @Test(arguments: [
        "", "%", "-1", "-1%", "1.%", ".5%", "1.2.3%", "0.0000001%", "1 %", "١%", "1e3", "64Mi",
        "99999999999999999999", "99999999999999999999%", "9999999TiB", "1,2",
    ])
    func whatIsNoCapacityIsRefusedWithAnExample(text: String) {
        #expect {
            try TraceCapacity(text)
        } throws: {
            ($0 as? TextProblem)?.sentence.contains("is not a capacity; write a share") == true
        }
    }

    @Test(arguments: [
        ("0", "holds nothing; write a capacity of more than 0"), ("0%", "holds nothing"),
        ("0.0%", "holds nothing"), ("0B", "holds nothing"),
        ("100.000001%", "is more than everything; write 100% at most"),
        ("250%", "is more than everything"),
    ])
    func nothingAndMoreThanEverythingAreRefused(text: String, sentence: String) {
        #expect {
            try TraceCapacity(text)
        } throws: {
            ($0 as? TextProblem)?.sentence.hasPrefix("\"\(text)\" \(sentence)") == true
        }
    }

    @Test func severalStandBetweenCommas() throws {
        let several = try TraceCapacity.list("1%,64MiB,9")
        #expect(several == [.share(1_000_000), .bytes(64 << 20), .count(9)])
        #expect(throws: TextProblem.self) { try TraceCapacity.list("1%,") }
    }

    @Test func theUsualSizesAndTheCurveCanBeRead() throws {
        for text in TraceCapacity.usual + TraceCapacity.curve { _ = try TraceCapacity(text) }
        #expect((12...16).contains(TraceCapacity.curve.count))
    }
}
