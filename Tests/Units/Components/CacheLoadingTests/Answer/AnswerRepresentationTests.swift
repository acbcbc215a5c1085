import CacheModel
import Testing

@testable import CacheLoading

/// What an answer says of its bytes is kept with them.
@Suite struct AnswerRepresentationTests {
    private static func read(
        _ lines: [String], status: Int = 200
    ) throws -> Representation {
        var sample = AnswerSample(status: status, lines: lines)
        if status == 304 { sample.asked = "\"e\"" }
        return try sample.facts().representation
    }

    @Test func typeEncodingAndLanguageAreKept() throws {
        let read = try Self.read([
            "Content-Type: text/css; charset=utf-8", "content-encoding: GZIP",
            "Content-Language: de, en",
        ])
        #expect(read.contentType?.text == "text/css; charset=utf-8")
        #expect(read.contentEncoding?.text == "GZIP" && read.contentLanguage?.text == "de, en")
        #expect(try Self.read([]).isEmpty)
    }

    @Test func languageLinesAreJoinedAndConflictingContentTypesAreDropped() throws {
        let languages = try Self.read(["Content-Language: de", "Content-Language: en,,fr "])
        #expect(languages.contentLanguage?.text == "de, en, fr")
        #expect(try Self.read(["Content-Type: a/b", "Content-Type: a/b"]).contentType != nil)
        #expect(try Self.read(["Content-Type: a/b", "Content-Type: a/c"]).contentType == nil)
    }

    /// The value is what it is without.
    @Test(arguments: ["", "text/é", "a\u{1}b", String(repeating: "a", count: 256)])
    func aTypeOrLanguageThatCannotBeKeptIsLeftOut(text: String) throws {
        let answer = try AnswerSample(
            lines: ["Content-Type: \(text)", "Content-Language: \(text)"]
        ).read()
        #expect(answer == .value([1, 2, 3], LoadedFacts()))
    }

    @Test func a304SaysWhatItHasAndAnAbsenceNothing() throws {
        let lines = ["Content-Type: text/plain"]
        let said = try Self.read(lines, status: 304)
        #expect(said == Representation(contentType: RepresentationField("text/plain")))
        #expect(try Self.read(lines, status: 404).isEmpty)
        #expect(try Self.read([], status: 304).isEmpty)
    }
}
