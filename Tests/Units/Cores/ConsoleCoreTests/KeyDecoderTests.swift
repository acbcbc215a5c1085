import Testing
import TestSupport

@testable import ConsoleCore

@Suite struct KeyDecoderTests {
    static let known: [([UInt8], ConsoleKey)] = [
        (Array("q".utf8), .character("q")), (Array("é".utf8), .character("é")),
        (Array("中".utf8), .character("中")), (Array("😀".utf8), .character("😀")),
        (Array("\u{1B}[A".utf8), .up), (Array("\u{1B}[B".utf8), .down),
        (Array("\u{1B}[C".utf8), .right), (Array("\u{1B}[D".utf8), .left),
        (Array("\u{1B}OA".utf8), .up), (Array("\u{1B}OM".utf8), .enter),
        (Array("\u{1B}[1;5C".utf8), .right), (Array("\u{1B}[5~".utf8), .pageUp),
        (Array("\u{1B}[6~".utf8), .pageDown), (Array("\u{1B}[H".utf8), .home),
        (Array("\u{1B}[4~".utf8), .end), (Array("\u{1B}[3~".utf8), .delete),
        (Array("\u{1B}[<0;3;4M".utf8), .unknown), (Array("\u{1B}x".utf8), .unknown),
        ([0x0D], .enter), ([0x7F], .backspace), ([0x03], .control("c")), ([0x1A], .control("z")),
        ([0x09], .tab),
    ]

    @Test(arguments: known)
    func aKeyIsReadInOnePieceAndInMany(bytes: [UInt8], key: ConsoleKey) {
        var decoder = KeyDecoder()
        #expect(decoder.read(bytes) == [key])
        #expect(!decoder.isWaiting)
        for cut in bytes.indices {
            var decoder = KeyDecoder()
            let keys = decoder.read(bytes[..<cut]) + decoder.read(bytes[cut...])
            #expect(keys == [key], "cut at \(cut)")
        }
    }

    @Test func keysComeOutInTheOrderOfTheirBytes() {
        var decoder = KeyDecoder()
        let all = Self.known.flatMap(\.0)
        #expect(decoder.read(all) == Self.known.map(\.1))
    }

    @Test func onlyTimeTellsAnEscape() {
        var decoder = KeyDecoder()
        #expect(decoder.read([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.passTime() == [.escape])
        #expect(decoder.passTime() == [])
        #expect(decoder.read([0x1B, 0x1B]) == [.escape])
        #expect(decoder.passTime() == [.escape])
    }

    @Test func whatIsNoTextIsDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.read([0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x71]) == [.character("q")])
        #expect(decoder.read([0xE4, 0xB8, 0x71]) == [.character("q")])
        #expect(decoder.read([0xC2, 0x9B]) == [])
    }

    @Test func aSequenceWithoutAnEndIsPassedOver() {
        var decoder = KeyDecoder()
        let long = [UInt8](repeating: 0x31, count: 10_000)
        #expect(decoder.read([0x1B, 0x5B] + long) == [.unknown])
        #expect(decoder.read([0x7E, 0x71]) == [.character("q")])
    }

    @Test(arguments: 0..<200)
    func anyBytesLeaveTheDecoderFitForTheNextKey(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var decoder = KeyDecoder()
        for _ in 0..<500 {
            let byte =
                Int.random(in: 0..<3, using: &generator) == 0
                ? UInt8(0x1B) : UInt8.random(in: 0...255, using: &generator)
            _ = decoder.read([byte])
        }
        _ = decoder.passTime()
        #expect(!decoder.isWaiting)
        #expect(decoder.read(Array("\u{1B}[Aq".utf8)).suffix(1) == [.character("q")])
    }
}
