import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheLoading

/// Answers that nobody should send.
@Suite struct AnswerHostileTests {
    /// Every field that is read.
    static let names = [
        "Age", "Cache-Control", "Cache-Groups", "Cache-Tag", "Content-Encoding", "Content-Language",
        "Content-Type", "Date", "ETag",
        "Expires", "Last-Modified", "Pragma", "Retry-After", "Surrogate-Key", "Vary", "X-Version",
    ]

    static let statuses = [200, 203, 204, 206, 304, 404, 410, 429, 500, 503, 0, -1, 1_000]

    static func sample(_ status: Int = 200) -> AnswerSample {
        var sample = AnswerSample(status: status, asked: "\"e\"")
        sample.policy.versionField = "X-Version"
        return sample
    }

    // MARK: Long

    /// One piece, again and again, until it is a mebibyte.
    static let pieces = [
        "a", "9", "0", ",", " ", "\t", "\"", "\\", "\"\"", "\\\"", "=", "=\"", "=\"\\", "a,", "a ",
        ", ", "\"a\",", "\"a\";b,", "\"a\";b=\"c\", ", ";", "max-age=1,", "max-age=\"1\",",
        "x=\"\\\"",
        "no-cache=\"", "private=\"a,b\",", "private=a,", "*", "\u{0}", "\r\n", "ä", "\u{FFFD}",
        "\u{FF}",
        "W/", "Sun, ", "Sun, 06 Nov 1994 08:49:37 GMT, ",
    ]

    static func repeated(_ piece: String, bytes: Int) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    /// Reading is linear: what is not would not end within the limit.
    @Test(.timeLimit(.minutes(1)), arguments: names)
    func aMebibyteInAFieldIsReadInTime(name: String) throws {
        for piece in ["a,", "=\"\\"] {
            let field = OriginField(
                name: name, value: "x=\"" + Self.repeated(piece, bytes: 1 << 20))
            _ = try Self.sample().read([field])
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: pieces)
    func manyOfAnythingAreReadInTime(piece: String) throws {
        let long = Self.repeated(piece, bytes: 1 << 14)
        for value in [long, "x=\"" + long] {
            let fields = Self.names.map { OriginField(name: $0, value: value) }
            for status in [200, 503] { _ = try Self.sample(status).read(fields) }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func aHundredThousandFieldsAreReadInTime() throws {
        let fields = (0..<100_000).map { number in
            OriginField(name: Self.names[number % Self.names.count], value: "\"t\(number)\"")
        }
        let facts = try #require(try Self.sample(404).read(fields).facts)
        #expect(facts.tags.count == Tag.perEntryMax)
        #expect(!facts.mayStore)
    }

    @Test func aLongNameIsNobodys() throws {
        let name = String(repeating: "Age", count: 100_000)
        let facts = try Self.sample().read([OriginField(name: name, value: "5")]).facts
        #expect(facts == LoadedFacts())
    }

    // MARK: Random

    static let words = [
        "max-age", "s-maxage", "no-cache", "no-store", "private", "must-revalidate",
        "must-understand", "stale-if-error", "stale-while-revalidate", "=", "=", "\"", ",", ", ",
        " ",
        ";", "\\", "*", "W/", "\"e\"", "0", "60", "99999999999999999999", "gzip", "identity", today,
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "GMT", "a", "b=1", "\u{0}",
        "ä",
    ]

    static func value(_ dice: inout SeededGenerator) -> String {
        switch dice.below(3) {
        case 0:
            let bytes = (0..<dice.below(40)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            return String(decoding: bytes, as: UTF8.self)
        case 1:
            return (0..<dice.below(12)).map { _ in words[dice.below(words.count)] }.joined()
        default:
            // A word with one byte changed.
            var bytes = Array(words[dice.below(words.count)].utf8)
            bytes[dice.below(bytes.count)] = UInt8.random(in: 0...127, using: &dice)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    static func fields(_ dice: inout SeededGenerator) -> [OriginField] {
        (0..<dice.below(10)).map { _ in
            let isKnown = dice.below(10) > 0
            let name = isKnown ? names[dice.below(names.count)] : value(&dice)
            return OriginField(name: name, value: value(&dice))
        }
    }

    /// Nothing traps, and what comes out keeps its promises.
    @Test(arguments: UInt64(1)...8)
    func randomAnswersKeepThePromises(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            let fields = Self.fields(&dice)
            var sample = Self.sample(Self.statuses[dice.below(Self.statuses.count)])
            sample.elapsed = .milliseconds(dice.below(10_000))
            sample.policy.lifetimeSource = dice.below(4) == 0 ? .namespace : .answer
            let answer = try sample.read(fields)
            #expect(Self.broken(answer, sample, fields) == [], "seed \(seed): \(fields)")
            let again = try sample.read(fields)
            #expect(again == answer)
        }
    }

    /// The promises that `answer` does not keep.
    static func broken(
        _ answer: ReadAnswer, _ sample: AnswerSample, _ fields: [OriginField]
    ) -> [String] {
        var broken: [String] = []
        let most = Duration.seconds(1 << 31)
        func hold(_ promise: String, _ holds: Bool) { if !holds { broken.append(promise) } }
        if let wait = answer.retryAfter {
            hold("a wait of an origin that is unavailable", answer.failure == .unavailable)
            hold("a wait within bounds", (.zero...most).contains(wait))
        }
        guard let facts = answer.facts else { return broken }
        for duration in [facts.lifetime, facts.staleWhileRevalidate, facts.staleIfError] {
            guard let duration else { continue }
            hold("a duration within bounds", (.zero...most).contains(duration))
            hold(
                "a duration that the answer may decide on", sample.policy.lifetimeSource == .answer)
        }
        hold("an age within bounds", (sample.elapsed...(most + sample.elapsed)).contains(facts.age))
        hold("few tags", facts.tags.count <= Tag.perEntryMax)
        hold("no tag twice", Set(facts.tags).count == facts.tags.count)
        let stored = facts.representation.stored
        hold(
            "a representation that can be stored",
            stored.withUnsafeBytes { Representation(stored: $0) } == facts.representation)
        if let validator = facts.validator {
            hold("a validator that can be asked by", validator.condition != nil)
            hold("a field without line breaks", !validator.bytes.contains { $0 < 0x20 })
        }
        let control = fields.filter { FieldText.isSameWord($0.name, "Cache-Control") }
        if control.contains(where: { $0.value.lowercased().hasPrefix("no-store,") }),
            !control.contains(where: { $0.value.lowercased().contains("must-understand") })
        {
            hold("nothing stored that is forbidden", !facts.mayStore)
        }
        return broken
    }

    // MARK: Order

    /// Fields of different names may come in any order.
    @Test(arguments: UInt64(1)...20)
    func theOrderOfUnrelatedFieldsDoesNotMatter(seed: UInt64) throws {
        let lines = [
            "Age: 5", "Cache-Control: max-age=60, stale-if-error=\"9\"", "Date: \(today)",
            "Expires: \(today)", "ETag: W/\"e\"", "Last-Modified: \(today)", "Pragma: no-cache",
            "Surrogate-Key: a b", "Vary: Accept", "X-Version: 7", "X-Other: \"", "Set-Cookie: a=\"",
            "Content-Encoding: identity", "Retry-After: 5",
        ]
        var dice = SeededGenerator(seed: seed)
        for status in [200, 304, 404, 503] {
            var sample = Self.sample(status)
            sample.lines = lines
            let inOrder = try sample.read()
            sample.lines = lines.shuffled(using: &dice)
            #expect(try sample.read() == inOrder)
            // Neither does the case of their names.
            sample.lines = sample.lines.map { line in
                let name = line.prefix { $0 != ":" }
                return name.uppercased() + line.dropFirst(name.count)
            }
            #expect(try sample.read() == inOrder)
        }
    }

    /// What is not known says nothing, wherever it stands.
    @Test(arguments: UInt64(1)...5)
    func fieldsThatAreNotKnownSayNothing(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let known = Self.fields(&dice).filter { field in
                Self.names.contains { FieldText.isSameWord($0, field.name) }
            }
            var all = known
            for _ in 0..<5 {
                let name = ["Agee", "X-Cache-Control", "Ag", "Cache-Control ", "", "\u{0}"][
                    dice.below(6)]
                let field = OriginField(name: name, value: Self.value(&dice))
                all.insert(field, at: dice.below(all.count + 1))
            }
            let sample = Self.sample(Self.statuses[dice.below(Self.statuses.count)])
            let without = try sample.read(known)
            #expect(try sample.read(all) == without)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
