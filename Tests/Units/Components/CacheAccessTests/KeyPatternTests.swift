import Testing

@testable import CacheAccess

@Suite struct KeyPatternTests {
    private func reach(_ text: String) -> KeyPattern.Reach? {
        do {
            return try KeyPattern(text[...]).reach
        } catch {
            return nil
        }
    }

    @Test func eachFormIsReadAsWhatItSays() {
        #expect(reach("*") == .everything)
        #expect(reach("images") == .namespace(Array("images".utf8)))
        #expect(reach("team-*") == .namespaces(beginning: Array("team-".utf8)))
        #expect(reach("images/t:") == .keys(beginning: Array("t:".utf8), in: Array("images".utf8)))
        #expect(reach("a/b/c") == .keys(beginning: Array("b/c".utf8), in: Array("a".utf8)))
        #expect(reach("a/%2A") == .keys(beginning: Array("*".utf8), in: Array("a".utf8)))
        #expect(reach("a/é") == .keys(beginning: Array("é".utf8), in: Array("a".utf8)))
    }

    @Test func everyByteCanBeWrittenAsTwoDigits() {
        for byte in UInt8.min ... .max {
            for isLower in [true, false] {
                let digits = String(UInt16(byte) | 0x100, radix: 16, uppercase: !isLower)
                    .dropFirst()
                #expect(reach("a/x%\(digits)y") == .keys(beginning: [120, byte, 121], in: [97]))
            }
        }
        #expect(reach("a/%2C%20%25%2c") == .keys(beginning: [44, 32, 37, 44], in: [97]))
    }

    @Test(arguments: [
        "", "/", "/x", "a/", "a/%", "a/%2", "a/%%20", "a/%2x", "a/%g0", "a/% 2", "a/%+1", "**",
        "*a",
        "a*b", "a**", "*/x", "a*/x", "a/*", "a/b*", "a/*b", "é", "a b", "a%20", "*\u{301}",
    ])
    func whatIsNoPatternIsRefused(text: String) {
        #expect(reach(text) == nil)
    }

    @Test func boundsAreThoseOfNamespacesAndKeys() {
        let name = String(repeating: "n", count: 64)
        #expect(reach(name) != nil && reach(name + "n") == nil)
        #expect(reach(name + "*") != nil && reach(name + "n*") == nil)
        #expect(reach(name + "/k") != nil && reach(name + "n/k") == nil)
        let key = String(repeating: "k", count: 4_096)
        #expect(reach("a/" + key) != nil && reach("a/" + key + "k") == nil)
        let coded = String(repeating: "%00", count: 4_096)
        #expect(reach("a/" + coded) != nil && reach("a/" + coded + "%00") == nil)
    }

    @Test func commasPartPatternsAndNothingElseDoes() throws {
        let patterns = try Sample.entry("read a,b*,c/d%2Ce,*").patterns
        #expect(
            patterns.map(\.reach) == [
                .namespace([97]), .namespaces(beginning: [98]),
                .keys(beginning: Array("d,e".utf8), in: [99]), .everything,
            ])
    }
}
