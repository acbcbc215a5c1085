import ByteCoding
import Testing
import ZeroMQ

@Suite struct CurveKeyPairTextTests {
    private let pair: CurveKeyPair
    private let publicLine: String
    private let secretLine: String

    init() throws {
        pair = try CurveKeyPair.generate()
        publicLine = "public-key \(pair.publicKey)"
        secretLine = "secret-key \(HexText.text(of: pair.secretKey.bytes))"
    }

    private func problem(_ text: String) -> CurveKeyPair.TextProblem? {
        do throws(CurveKeyPair.TextProblem) {
            let read = try CurveKeyPair(text: text)
            #expect(read.publicKey == pair.publicKey)
            #expect(read.secretKey.bytes == pair.secretKey.bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func aPairReadsItsOwnText() {
        #expect(pair.secretText == "\(publicLine)\n\(secretLine)\n")
        #expect(problem(pair.secretText) == nil)
    }

    @Test func orderCommentsSpacesLineEndsAndCaseDoNotMatter() {
        let digits = HexText.text(of: pair.secretKey.bytes).uppercased()
        for end in ["\n", "\r\n", "\n\n"] {
            #expect(problem("#a b c\(end)  \(secretLine) \(end)#\(end)\(publicLine)") == nil)
            #expect(problem("\(publicLine)\(end)secret-key   \(digits)") == nil)
        }
    }

    @Test func whatIsNotTwoLinesOfAKeyEachIsMalformed() {
        for text in [
            "", publicLine, secretLine, "\(publicLine) \(secretLine)", publicLine + secretLine,
            "\(publicLine)\n\(publicLine)\n\(secretLine)", "\(publicLine)\n\(secretLine)\nmore",
            "\(publicLine)0\n\(secretLine)", "\(publicLine)\n\(secretLine)0",
            "\(publicLine)\n\(secretLine.dropLast())", "\(publicLine)\n\(secretLine.dropLast())g",
            "\(publicLine)\nsecret \(secretLine.suffix(64))", "\(publicLine)\n\(secretLine) x",
        ] {
            #expect(problem(text) == .malformed, "\(text.count)")
        }
    }

    @Test func everyBeginningOfItsTextIsMalformed() {
        // The last newline may be missing.
        for count in 0..<pair.secretText.count - 1 {
            #expect(problem(String(pair.secretText.prefix(count))) == .malformed)
        }
    }

    @Test func halvesOfTwoPairsAreSaidToDiffer() throws {
        let other = try CurveKeyPair.generate()
        #expect(problem("public-key \(other.publicKey)\n\(secretLine)") == .halvesDiffer)
    }
}
