import ByteCoding
import Foundation
import Testing

@Suite struct JSONStringTests {
    @Test func everyCharacterIsReadAgainByAForeignReader() throws {
        for first in stride(from: UInt32(0), to: 0x11_0000, by: 256) {
            var text = "a"
            for value in first..<first + 256 {
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
            let json = Data("[\(JSONString.quoted(text))]".utf8)
            let read = try JSONSerialization.jsonObject(with: json) as? [String]
            #expect(
                read?.first.map { Array($0.utf8) } == Array(text.utf8),
                "from \(String(first, radix: 16))")
        }
    }

    @Test func nothingInItSteersATerminalOrBreaksALine() {
        for value in 0..<UInt32(0x11_0000) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = JSONString.quoted(String(scalar))
            guard text.unicodeScalars.dropFirst().first == scalar else { continue }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate:
                Issue.record("\(String(value, radix: 16)) stands as itself")
            default: break
            }
        }
    }

    @Test func whatHasAShortEscapeHasThat() {
        #expect(JSONString.quoted("") == #""""#)
        #expect(JSONString.quoted("plain é 😀") == #""plain é 😀""#)
        #expect(JSONString.quoted("a\"b\\c\n\r\t") == #""a\"b\\c\n\r\t""#)
        #expect(
            JSONString.quoted("\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{E0001}")
                == #""\u001b[2J\u007f\u009b\u202e\udb40\udc01""#)
    }
}
