import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheAccess

/// Lists that were damaged: each is read or refused, and what is read asks and answers.
@Suite struct AccessListFuzzTests {
    private static let right = """
        # name  public key  roles  patterns  until
        n1  \(Sample.digits(1))  node
        web  \(Sample.digits(2))  read,write  sessions,images/t%3A,team-*  2027-01-31

        ops  \(Sample.digits(3))  admin  *  2027-01-31T12:00:00Z
        """
    private static let pieces: [String] = [
        "\n", "\r\n", "\r", "\t", " ", ",", "*", "/", "%", "%2", "#", "\0", "é", "\u{301}",
        "\u{1B}", "2027-01-31", "node", Sample.digits(9), "x", "\u{FEFF}", "👩‍👩‍👧",
    ]

    private static func damaged(_ dice: inout SeededGenerator) -> String {
        var text = Array(right)
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let place = Int.random(in: 0...text.count, using: &dice)
            let end = min(text.count, place + Int.random(in: 0...40, using: &dice))
            let piece = pieces.randomElement(using: &dice) ?? ""
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: text.removeSubrange(place..<end)
            case 1: text.insert(contentsOf: text[place..<end], at: 0)
            case 2: text.insert(contentsOf: piece, at: place)
            default: text.replaceSubrange(place..<end, with: piece)
            }
        }
        return String(text)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func aDamagedListIsReadOrRefusedWithALineOfIt(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var refusals: Set<String> = []
        for _ in 0..<2_000 {
            let text = Self.damaged(&dice)
            let lineCount = text.split(omittingEmptySubsequences: false) { $0.isNewline }.count
            do throws(AccessListProblem) {
                let list = try AccessList(parsing: text)
                try Self.ask(list)
            } catch {
                #expect((1...lineCount).contains(error.line), "\(text)")
                #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
                refusals.insert(String(error.reason.sentence.suffix(12)))
            }
        }
        #expect(refusals.count >= 6, "the damage reaches most of the rules: \(refusals)")
    }

    /// Asks what a shard asks, and holds what must hold of every entry.
    private static func ask(_ list: AccessList) throws(AccessListProblem) {
        for entry in list.entries {
            #expect(list.entry(of: entry.key) == entry)
            #expect(AccessEntry.isName(entry.name) && !entry.rights.isEmpty)
            #expect(!entry.patterns.isEmpty)
            let isAll = entry.may(entry.rights, inAllOf: "default".utf8)
            let isKey = entry.may(
                entry.rights, keysBeginning: "k".utf8, in: "default".utf8)
            #expect(!isAll || isKey, "who may everything may each key")
            #expect(!entry.mayEverywhere(entry.rights) || isAll)
            // Its own words make the same entry.
            _ = try AccessList(parsing: "\(entry.name) \(entry.key) \(entry.rights)")
        }
        _ = list.nextEnd(after: 0)
    }

    @Test func everyBeginningOfAListIsReadOrRefused() {
        for count in 0...Self.right.utf8.count {
            let beginning = String(decoding: Self.right.utf8.prefix(count), as: UTF8.self)
            if let problem = problem(beginning) { #expect(problem.line > 0) }
        }
    }

    @Test func randomBytesNeverTrap() {
        var dice = SeededGenerator(seed: 54)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...200, using: &dice)).map { _ in
                UInt8.random(in: .min ... .max, using: &dice)
            }
            _ = problem(String(decoding: bytes, as: UTF8.self))
        }
    }
}
