import CacheLoading
import CacheModel
import Testing

@Suite struct OriginFieldTests {
    private func check(_ name: String, _ value: String = "x") throws {
        try OriginField.check([OriginField(name: name, value: value)])
    }

    private func defect(_ name: String, _ value: String = "x") -> OriginFieldError? {
        do throws(OriginFieldError) {
            try OriginField.check([OriginField(name: name, value: value)])
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "authorization", "Accept", "X-Api-Key", "user-agent", "Accept-Encoding", "cookie",
        "!#$%&'*+-.^_`|~0",
    ])
    func aFieldOfTheRequestPasses(name: String) throws {
        try check(name)
        try check(name, "")
        try check(name, "Bearer \t “ü” ~")
    }

    @Test func aNameIsAToken() {
        for byte in UInt8.min...0x7F {
            let letter = String(UnicodeScalar(byte))
            let isToken =
                letter.first.map { $0.isLetter || $0.isNumber } == true
                || "!#$%&'*+-.^_`|~".contains(letter)
            let expected = isToken ? nil : OriginFieldError.nameNotToken("a\(letter)")
            #expect(defect("a\(letter)") == expected)
        }
        #expect(throws: OriginFieldError.nameEmpty) { try check("") }
        #expect(throws: OriginFieldError.nameNotToken("ä")) { try check("ä") }
    }

    @Test func aValueIsOneLineWithoutControlCharacters() {
        for byte in UInt8.min...0x7F {
            let isWritable = byte == 0x09 || (byte >= 0x20 && byte < 0x7F)
            let value = "a\(UnicodeScalar(byte))b"
            let expected = isWritable ? nil : OriginFieldError.valueUnwritable(name: "n")
            #expect(defect("n", value) == expected)
        }
        #expect(throws: OriginFieldError.valueUnwritable(name: "n")) { try check("n", "a\r\nx: y") }
    }

    @Test(arguments: [
        "Host", "connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "content-length", "Upgrade", "Expect", "proxy-authorization",
    ])
    func aFieldOfTheConnectionIsRefused(name: String) {
        #expect(throws: OriginFieldError.ofTheConnection(name)) { try check(name) }
    }

    @Test(arguments: ["If-None-Match", "if-modified-since", "Range", "If-Range", "If-Match"])
    func aFieldThatTheLoadSetsIsRefused(name: String) {
        #expect(throws: OriginFieldError.ofTheLoad(name)) { try check(name) }
    }

    @Test func thereIsABoundOnCountAndBytes() throws {
        let field = OriginField(name: "a", value: "b")
        try OriginField.check(Array(repeating: field, count: 32))
        #expect(throws: OriginFieldError.tooMany(33)) {
            try OriginField.check(Array(repeating: field, count: 33))
        }
        try check("a", String(repeating: "x", count: 8_191))
        #expect(throws: OriginFieldError.tooLong(bytes: 8_193)) {
            try check("a", String(repeating: "x", count: 8_192))
        }
    }

    @Test(
        arguments: [
            .nameEmpty, .nameNotToken("a\r\nb"), .ofTheConnection("Host"), .ofTheLoad("Range"),
            .valueUnwritable(name: "a"), .tooMany(40), .tooLong(bytes: 9_000),
        ] as [OriginFieldError])
    func everyErrorIsOneLineWithARemedy(error: OriginFieldError) {
        let text = error.description
        #expect(!text.contains("\n") && !text.contains("\r"))
        #expect(text.contains(": "))
    }
}
