import CacheLoading
import CacheModel
import Testing

@Suite struct OriginReplyRetryAfterTests {
    static func reply(_ fields: (String, String)...) -> OriginReply {
        OriginReply(
            status: 503, fields: fields.map { OriginField(name: $0.0, value: $0.1) }, body: [],
            elapsed: .zero)
    }

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7\t", 7), ("007", 7), ("86400", 86_400), ("86401", 86_400),
        ("340282366920938463463374607431768211456", 86_400),
    ])
    func secondsAreRead(text: String, seconds: Int) {
        #expect(Self.reply(("Retry-After", text)).retryAfter == .seconds(seconds))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1 2", "1s", "Fri, 31 Dec 1999 23:59:59 GMT", "\u{663}",
    ])
    func whatIsNotSecondsSaysNothing(text: String) {
        #expect(Self.reply(("Retry-After", text)).retryAfter == nil)
    }

    @Test(arguments: ["retry-after", "RETRY-AFTER", "rEtRy-AfTeR"])
    func itsNameIsReadInAnyCase(name: String) {
        #expect(Self.reply(("Date", "3"), (name, "4"), (name, "5")).retryAfter == .seconds(4))
    }

    @Test(arguments: ["retry\u{0D}after", "retry-afte", "retry-after2", "Retry After"])
    func noOtherNameIsTaken(name: String) {
        #expect(Self.reply((name, "4")).retryAfter == nil)
    }
}
