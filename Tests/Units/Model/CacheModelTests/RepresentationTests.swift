import CacheModel
import Testing

@Suite struct RepresentationTests {
    @Test func aFieldHasLegalBytesAlone() {
        for byte in UInt8.min...255 {
            let isLegal = (0x20...0x7E).contains(byte) || byte == 9
            let bytes = [0x61, byte, 0x62]
            #expect(RepresentationField.isLegal(bytes) == isLegal, "byte \(byte)")
        }
        for text in ["", " a", "a ", "a\t", "a\r\nb", "é", String(repeating: "a", count: 256)] {
            #expect(RepresentationField(text) == nil, "\(text)")
        }
        let longest = String(repeating: "a", count: 255)
        #expect(RepresentationField(longest)?.text == longest)
        #expect(RepresentationField("text/html; charset=utf-8") != nil)
    }

    @Test func whatIsStoredIsReadAndNothingElse() throws {
        let fields = [nil, RepresentationField("a/b"), RepresentationField("gzip, br")]
        for type in fields {
            for encoding in fields {
                for language in fields {
                    let one = Representation(
                        contentType: type, contentEncoding: encoding, contentLanguage: language)
                    let bytes = one.stored
                    #expect(bytes.isEmpty == one.isEmpty)
                    #expect(bytes.withUnsafeBytes { Representation(stored: $0) } == one)
                    for count in 1..<max(1, bytes.count) {
                        let cut = bytes.prefix(count).withUnsafeBytes { Representation(stored: $0) }
                        #expect(cut == nil, "\(count) of \(bytes.count)")
                    }
                }
            }
        }
        #expect(([0, 0, 0] as [UInt8]).withUnsafeBytes { Representation(stored: $0) } == nil)
    }

    @Test func aLaterAnswerSaysTypeAndLanguageAnewAndNotTheCoding() {
        let held = Representation(
            contentType: RepresentationField("a/b"), contentEncoding: RepresentationField("gzip"))
        let later = Representation(
            contentEncoding: RepresentationField("br"), contentLanguage: RepresentationField("de"))
        let both = held.updated(by: later)
        #expect(both.contentType?.text == "a/b" && both.contentEncoding?.text == "gzip")
        #expect(both.contentLanguage?.text == "de")
    }
}
