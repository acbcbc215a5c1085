import CacheModel
import Testing

@testable import GatewayCore

/// The text of each message: docs/pushes.md shows the same.
@Suite struct PushMessageTests {
    private func text(_ message: PushMessage) -> String {
        String(decoding: message.text, as: UTF8.self)
    }

    @Test func eachKindHasItsText() {
        #expect(
            text(.hello(position: at(4), head: nil, cluster: .none))
                == #"{"type":"hello","position":"1:4","head":null,"heartbeat_ms":5000}"#)
        #expect(
            text(.hello(position: at(4), head: nil, cluster: ClusterID(0xC0FFEE)))
                == #"{"type":"hello","position":"1:4","head":null,"#
                + #""cluster":"0000000000c0ffee","heartbeat_ms":5000}"#)
        #expect(
            text(.gone(after: at(4), position: at(0, epoch: 2)))
                == #"{"type":"gone","after":"1:4","position":"2:0"}"#)
        #expect(
            text(.end(.slow, position: at(4)))
                == #"{"type":"end","code":"slow","reason":"you read too slowly: come back with "#
                + #"your last position","position":"1:4","retry_ms":1000}"#)
        #expect(
            text(.refusal(PushRefusal(.full, "no")))
                == #"{"type":"end","code":"full","reason":"no"}"#
        )
    }

    @Test func aRecordNamesItsScopes() throws {
        let scopes = [
            Scope(.everything, hashRange: 0...UInt64.max),
            Scope(.namespace(.default)),
            Scope(try key("a\"\\\n\u{1F}é"), minimumVersion: Version(7)),
            Scope(try tag("t")),
            Scope(try prefix("p:")),
        ]
        let record = InvalidationRecord(
            position: at(9), previousDigest: LogDigest(0), operation: .none, strength: .soft,
            scopes: scopes)
        let words = [
            #"{"kind":"all","hash_range":["0","18446744073709551615"]}"#,
            #"{"kind":"namespace","name":"default"}"#,
            #"{"kind":"key","name":"a\"\\\n\u001fé","namespace":"n","min_version":"7"}"#,
            #"{"kind":"tag","name":"t","namespace":"n"}"#,
            #"{"kind":"prefix","name":"p:","namespace":"n"}"#,
        ]
        #expect(
            text(.record(record, scopes: scopes))
                == #"{"type":"record","position":"1:9","strength":"soft","scopes":["#
                + words.joined(separator: ",") + "]}")
    }

    @Test func aNameThatIsNoTextIsToldInBase64Too() throws {
        let bytes: [UInt8] = [0xFF, 0x00, 0x61, 0xFE]
        let scope = Scope(.key(try #require(CacheKey(bytes: bytes)), in: .default))
        let told = text(.record(record(1), scopes: [scope]))
        #expect(told.contains(#""name":"\#u{FFFD}\u0000a\#u{FFFD}","name_base64":"/wBh/g==""#))
    }
}
