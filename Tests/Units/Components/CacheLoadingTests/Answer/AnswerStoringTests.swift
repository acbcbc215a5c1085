import CacheModel
import Testing

@testable import CacheLoading

/// Whether a value may be kept.
@Suite struct AnswerStoringTests {
    static let allowed = [
        "Cache-Control: public",
        "Cache-Control: max-age=0",
        "Cache-Control: no-cache",
        "Cache-Control: no-storex, xno-store",
        "Cache-Control: x=no-store",
        "Cache-Control: x=\"no-store, private\"",
        "Cache-Control: private=\"Set-Cookie\"",
        "Cache-Control: private=Set-Cookie",
        "Cache-Control: private=\"Set-Cookie, X-Name\"",
        "Cache-Control: no-store, must-understand",
        "Cache-Control: Must-Understand, No-Store",
        "Pragma: no-store",
        "Vary: Accept",
        "Vary: Accept-Encoding, X-*, **",
        "Vary:",
        "Set-Cookie: a=b",
    ]

    static let forbidden = [
        "Cache-Control: no-store",
        "Cache-Control: NO-STORE",
        "Cache-Control: max-age=60, no-store",
        "Cache-Control: max-age=60 no-store",
        "Cache-Control: no-store=x",
        "Cache-Control: no-store=\"x\"",
        "Cache-Control: no-store, x=\"",
        "Cache-Control: x=\", no-store",
        "Cache-Control: x=\"a\\\", no-store",
        "Cache-Control: no-store\u{0}",
        "Cache-Control: \u{0}no-store",
        "Cache-Control: private",
        "Cache-Control: Private, max-age=60",
        "Cache-Control: private, must-understand",
        "Cache-Control: private=\"\"",
        "Cache-Control: private=",
        "Cache-Control: private=\"Set-Cookie, ETag\"",
        "Cache-Control: private=\"X-Version\"",
        "Cache-Control: private=\"cache-groups\"",
        "Cache-Control: private=\"Set-Cookie",
        "Cache-Control: private=\"Set-Cookie\", private",
        "Vary: *",
        "Vary: Accept, *",
        "vary: Accept ,*,",
    ]

    static func sample(_ line: String, status: Int) -> AnswerSample {
        var sample = AnswerSample(status: status, lines: [line], asked: "\"e\"")
        sample.policy.versionField = "x-version"
        return sample
    }

    @Test(arguments: allowed, [200, 203, 204, 304, 404, 410])
    func mostMayBeKept(line: String, status: Int) throws {
        #expect(try Self.sample(line, status: status).facts().mayStore)
    }

    @Test(arguments: forbidden, [200, 203, 204, 304, 404, 410])
    func whatIsForbiddenIsNotKept(line: String, status: Int) throws {
        #expect(try !Self.sample(line, status: status).facts().mayStore)
    }

    /// A namespace decides on lifetimes; who may have a value is the answer's to say.
    @Test(arguments: forbidden)
    func aNamespaceThatDecidesOnLifetimesDoesNotAllowIt(line: String) throws {
        var sample = Self.sample(line, status: 200)
        sample.policy.lifetimeSource = .namespace
        #expect(try !sample.facts().mayStore)
    }

    @Test func aSecondLineForbidsAsWell() throws {
        #expect(
            try !AnswerSample.facts("Cache-Control: public", "Cache-Control: no-store").mayStore)
        #expect(try !AnswerSample.facts("Vary: Accept", "VARY: *").mayStore)
    }

    @Test func aValueThatMayNotBeKeptIsStillAValue() throws {
        let answer = try AnswerSample(lines: ["Cache-Control: no-store, max-age=5"]).read()
        var facts = LoadedFacts()
        facts.mayStore = false
        facts.lifetime = .seconds(5)
        facts.said.lifetime = .seconds(5)
        #expect(answer == .value([1, 2, 3], facts))
    }

    /// The namespace's own fields, Authorization among them, are everybody's who reads it.
    @Test func anIdentityInTheRequestForbidsNothing() throws {
        var sample = AnswerSample(lines: ["Cache-Control: max-age=5"])
        let without = try sample.read()
        sample.policy.fields = [OriginField(name: "Authorization", value: "Bearer x")]
        let with = try sample.read()
        #expect(with == without)
        #expect(with.facts?.mayStore == true)
    }

    // MARK: Version

    static let versions: [(lines: [String], version: UInt64, mayStore: Bool)] = [
        ([], 0, true),
        (["Version: 5"], 0, true),
        (["X-Version: 5"], 5, true),
        (["x-VERSION:\t5 "], 5, true),
        (["X-Version: 0005"], 5, true),
        (["X-Version: 18446744073709551615"], .max, true),
        (["X-Version: 5", "X-Version: 5"], 5, true),
        (["X-Version: 18446744073709551616"], 0, false),
        (["X-Version: 99999999999999999999999999"], 0, false),
        (["X-Version: 0"], 0, false),
        (["X-Version:"], 0, false),
        (["X-Version: -1"], 0, false),
        (["X-Version: +1"], 0, false),
        (["X-Version: 5, 5"], 0, false),
        (["X-Version: 1.0"], 0, false),
        (["X-Version: \"5\""], 0, false),
        (["X-Version: 0x5"], 0, false),
        (["X-Version: ٥"], 0, false),
        (["X-Version: 5\u{0}5"], 0, false),
        (["X-Version: 5", "X-Version: 6"], 0, false),
        (["X-Version: 5", "X-Version:"], 0, false),
    ]

    @Test(arguments: versions)
    func aVersionIsANumberOrKeepsTheValueOut(
        lines: [String], version: UInt64, mayStore: Bool
    ) throws {
        for status in [200, 304, 404] {
            var sample = AnswerSample(status: status, lines: lines, asked: "\"e\"")
            sample.policy.versionField = "X-Version"
            let facts = try sample.facts()
            #expect(facts.version == Version(version))
            #expect(facts.mayStore == mayStore)
        }
    }

    @Test(arguments: versions)
    func withoutAFieldForItThereIsNoVersion(
        lines: [String], version: UInt64, mayStore: Bool
    ) throws {
        let facts = try AnswerSample(lines: lines).facts()
        #expect(facts.version == .none)
        #expect(facts.mayStore)
    }
}
