import ByteCoding
import CacheModel
import Foundation
import Testing

@testable import martlet

@Suite struct JSONDocumentTests {
    @Test func membersStandInTheOrderTheyWereGiven() {
        let value = JSONDocument.object([
            ("b", .integer(-1)), ("a", .unsigned(.max)), ("c", .list([.null, .bool(true)])),
            ("d", .decimal(0.25)), ("e", .object([])), ("f", .decimal(.infinity)),
        ])
        #expect(
            value.line
                == #"{"b":-1,"a":18446744073709551615,"c":[null,true],"d":0.25,"e":{},"f":null}"#)
    }

    @Test func everyScalarBelow256ComesBackThroughAnotherParser() throws {
        let text = String(String.UnicodeScalarView((0..<256).compactMap(Unicode.Scalar.init)))
        let line = JSONDocument.object([(text, .text(text + "🐦"))]).line
        #expect(!line.contains("\n"))
        let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(parsed == [text: text + "🐦"])
    }

    @Test func aNameThatIsNotTextHasItsBytesBeside() {
        #expect(JSONDocument.object(JSONDocument.members("key", [0x61])).line == #"{"key":"a"}"#)
        #expect(
            JSONDocument.object(JSONDocument.members("key", [0x61, 0xFF])).line
                == "{\"key\":\"a\u{FFFD}\",\"key_base64\":\"Yf8=\"}")
    }

    @Test func scopesAreNamedAsTheyAreTyped() throws {
        let images = try #require(Namespace("images"))
        let scopes = [
            Scope(.key(try Sample.key("a"), in: .default), minimumVersion: Version(3)),
            Scope(.tag(try Sample.tag("news"), in: images)),
            Scope(.prefix([0x75, 0x3A], in: .default), hashRange: 1...2),
            Scope(.namespace(images)), Scope(.everything),
        ]
        #expect(
            scopes.map { JSONDocument.scope($0).line } == [
                #"{"kind":"key","name":"a","namespace":"default","min_version":3}"#,
                #"{"kind":"tag","name":"news","namespace":"images"}"#,
                #"{"kind":"prefix","name":"u:","namespace":"default","hash_range":[1,2]}"#,
                #"{"kind":"namespace","name":"images"}"#, #"{"kind":"all"}"#,
            ])
    }
}
