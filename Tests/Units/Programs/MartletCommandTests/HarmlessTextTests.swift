import CommandSurface
import Testing

@testable import martlet

@Suite struct HarmlessTextTests {
    @Test func whatSteersATerminalOrBreaksALineIsEscaped() {
        #expect(HarmlessText.line(Array("a\n\t\r\u{1B}[1m\u{7F}".utf8)) == #"a\n\t\r\x1b[1m\x7f"#)
        #expect(HarmlessText.line(Array("a\u{202E}b".utf8)) == #"a\xe2\x80\xaeb"#)
    }

    @Test func ordinaryTextStandsAsItIs() {
        #expect(HarmlessText.line(Array("user:17/Ärger 🐦".utf8)) == "user:17/Ärger 🐦")
    }

    @Test func noTwoNamesOfTwoBytesLookAlike() {
        var shown: Set<[UInt8]> = []
        let seconds = stride(from: UInt8.min, through: UInt8.max, by: 3)
        for first in UInt8.min...UInt8.max {
            for second in seconds {
                shown.insert(Array(HarmlessText.line([first, second]).utf8))
            }
        }
        #expect(shown.count == 256 * 86)
    }

    @Test func aValueOnAScreenKeepsItsLinesAndTabs() {
        let value = HarmlessText.screen(Array("a\n\tb\\ \r\u{9B}".utf8))
        #expect(value.text == "a\n\tb\\ \\r\\xc2\\x9b" && value.isEscaped)
        let plain = HarmlessText.screen(Array("a\n\\".utf8))
        #expect(plain.text == "a\n\\" && !plain.isEscaped)
    }

    @Test func aSentenceKeepsItsBackslashes() {
        #expect(HarmlessText.line(#"a\b"# + "\n") == #"a\b\n"#)
        #expect(HarmlessText.line(Array(#"a\b"#.utf8)) == #"a\\b"#)
    }
}
