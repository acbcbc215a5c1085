import Testing

@testable import CacheAccess

@Suite struct AccessNameTests {
    @Test func aNameHasOneTo64OfItsCharacters() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        for byte in UInt8.min...127 {
            let text = String(UnicodeScalar(byte))
            #expect(AccessEntry.isName(text) == allowed.contains(byte), "\(byte)")
        }
        #expect(!AccessEntry.isName("") && !AccessEntry.isName("é") && !AccessEntry.isName("a b"))
        #expect(AccessEntry.isName(String(repeating: "n", count: 64)))
        #expect(!AccessEntry.isName(String(repeating: "n", count: 65)))
    }

    @Test func aWordIsShownWithoutWhatCouldSteerATerminalAndCut() {
        #expect(AccessName.shown("plain-Word~ !") == "plain-Word~ !")
        #expect(AccessName.shown("a\u{1B}[0m\n\u{7F}é\u{9B}") == "a?[0m????")
        let long = String(repeating: "x", count: 80)
        #expect(AccessName.shown(long[...]) == long)
        #expect(AccessName.shown((long + "y")[...]) == long + "…")
    }
}
