import CacheConfiguration
import CacheModel
import Testing
import TestSupport

@Suite struct ConfigurationFuzzTests {
    private static let pieces = [
        "{", "}", "[", "]", "- ", ": ", "\n", "\t", "#", "\"", "'", "|", ">", "?", "!!int ",
        "---\n",
        "...\n", "%YAML 1.2\n", "null", "~", "-1", "99999999999999999999", "1e400", "nan", "0x10",
        "\u{0}", "\u{FEFF}", "é", "&a ", "*a", "<<: ", "\"\\ud800\"", "none", "0s",
        "18446744073709551615d",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) {
        let place = Int.random(in: 0..<max(bytes.count, 1), using: &dice)
        let end = min(bytes.count, place + Int.random(in: 0...12, using: &dice))
        switch Int.random(in: 0..<5, using: &dice) {
        case 0 where place < bytes.count && (0x30...0x39).contains(bytes[place]):
            bytes[place] = UInt8.random(in: 0x30...0x39, using: &dice)
        case 0 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0...255, using: &dice)
        case 1: bytes.removeSubrange(min(place, end)..<end)
        case 2:
            let piece = pieces[Int.random(in: 0..<pieces.count, using: &dice)]
            bytes.insert(contentsOf: piece, at: min(place, bytes.count))
        case 3:
            let slice = Array(bytes[min(place, end)..<end])
            let target = Int.random(in: 0...bytes.count, using: &dice)
            bytes.insert(contentsOf: slice, at: target)
        default: bytes.removeLast(min(bytes.count, Int.random(in: 0...4, using: &dice)))
        }
    }

    @Test(arguments: [1, 2, 3, 4])
    func mutatedFilesNeverTrapAndAcceptedOnesRoundTrip(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var taken = 0
        var refused = 0
        for _ in 0..<500 {
            let isOfSeveral = Bool.random(using: &dice)
            let sample = isOfSeveral ? ConfigurationSamples.several : ConfigurationSamples.full
            var bytes = Array(sample.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &dice) { Self.mutate(&bytes, &dice) }
            do throws(ConfigurationErrors) {
                let configuration = try ClusterConfiguration.parse(bytes, fileName: "f")
                taken += 1
                let again = try ClusterConfiguration.parse(
                    configuration.yamlText(), fileName: "normalised")
                #expect(again == configuration)
            } catch {
                refused += 1
                for problem in error.problems {
                    #expect(problem.fileName == "f", "\(problem)")
                    #expect(problem.place >= .start && !problem.sentence.isEmpty)
                }
            }
        }
        // Both must occur, else the mutations are too mild or too wild to tell anything.
        #expect(taken > 10 && refused > 10, "\(taken) taken, \(refused) refused")
    }

    @Test func everyPrefixOfAFileParsesOrIsRefusedWithAReason() {
        let bytes = Array(ConfigurationSamples.full.utf8)
        for length in 0..<bytes.count {
            do throws(ConfigurationErrors) {
                _ = try ClusterConfiguration.parse(Array(bytes[..<length]), fileName: "f")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func depthAndReferencesOfReferencesEndQuickly() {
        let deep = String(repeating: "[", count: 500_000)
        let deepBlock = String(repeating: "- ", count: 400_000)
        var bomb = "a0: &a0 [x, x]\n"
        for level in 1..<40 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        for text in [deep, deepBlock, bomb, "? {\"k\":*a}\n: b"] {
            #expect(ConfigurationSamples.refusal(of: text).count == 1)
        }
    }
}
