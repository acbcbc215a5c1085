import Testing

@testable import ByteCoding

/// The directives of a line, before anybody knows their names.
@Suite struct DirectiveReaderTests {
    static func directives(_ line: String) -> (told: [String], isBroken: Bool) {
        var reader = DirectiveReader(FieldText(line), of: .answer)
        var told: [String] = []
        while let directive = reader.next() {
            let name = String(decoding: directive.name.bytes, as: UTF8.self)
            let argument = directive.argument.map { String(decoding: $0.bytes, as: UTF8.self) }
            told.append(argument.map { "\(name)=[\($0)]" } ?? name)
        }
        return (told, reader.isBroken)
    }

    static let whole: [(line: String, told: [String])] = [
        ("", []), (" ,\t, ", []), ("a", ["a"]), ("a,b", ["a", "b"]), ("a , b", ["a", "b"]),
        ("a=b", ["a=[b]"]), ("a=\"b\"", ["a=[b]"]), ("a=\"\"", ["a=[]"]), ("a=", ["a=[]"]),
        ("a=\"b, c=d\"", ["a=[b, c=d]"]), ("a=\"\\\"\\\\\"", ["a=[\"\\]"]),
        ("a=b=c", ["a=[b=c]"]), ("=a", ["=[a]"]), ("=", ["=[]"]), ("a=b\"c", ["a=[b\"c]"]),
        ("\"", ["\""]), ("\"a\"", ["\"a\""]), ("\"a,b\"", ["\"a", "b\""]),
        ("a;b=c", ["a;b=[c]"]), ("a\u{FF0C}b", ["a\u{FF0C}b"]),
    ]

    @Test(arguments: whole)
    func aLineIsReadToItsEnd(line: String, told: [String]) {
        let read = Self.directives(line)
        #expect(read.told == told)
        #expect(!read.isBroken)
    }

    static let broken: [(line: String, told: [String])] = [
        ("a b", ["a", "b"]), ("a\tb,c", ["a", "b", "c"]), ("a = b", ["a", "=[]", "b"]),
        ("a= b", ["a=[]", "b"]), ("a=\"b\"c", ["a=[b]", "c"]),
        ("a=\"b\"\"c\"", ["a=[b]", "\"c\""]),
        ("a=\"b\"=c", ["a=[b]", "=[c]"]), ("a=\"", ["a=[]"]), ("a=\"b, c", ["a=[]", "b", "c"]),
        ("a=\"\\\"", ["a=[]", "\\\""]), ("a=\"b\\", ["a=[]", "b\\"]),
        ("a=\"b\\\", c=\\\"d", ["a=[]", "b\\\"", "c=[\\\"d]"]),
    ]

    @Test(arguments: broken)
    func aBrokenLineHidesNothing(line: String, told: [String]) {
        let read = Self.directives(line)
        #expect(read.told == told)
        #expect(read.isBroken)
    }

    /// Whatever stands before it, if it ends no string that has begun.
    @Test func noStoreIsFoundBehindEveryShortText() {
        var hidden: [String] = []
        var texts = [""]
        for _ in 0...5 {
            for text in texts {
                let line = FieldText(text + ",no-store")
                if !CacheDirectives(answer: [line], kept: []).forbidsStoring { hidden.append(text) }
            }
            texts = texts.flatMap { text in ["a", "=", "\"", "\\", ",", " "].map { text + $0 } }
        }
        #expect(hidden == [], "\(hidden.prefix(5))")
    }
}
