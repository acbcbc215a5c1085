import CacheModel
import CommandSurface
import MartletClient
import Testing

@testable import martlet

/// Keys out of a file, a line each.
@Suite struct KeyLinesTests {
    private func keys(
        _ text: String, skip: Int = 0, atATime: Int = 3
    ) throws -> [(number: Int, key: String)] {
        var lines = KeyLines(name: "keys.txt", skip: skip)
        var found: [(number: Int, key: String)] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let part = rest.prefix(atATime)
            rest = rest.dropFirst(atATime)
            try lines.check()
            found += try lines.take(part).map { ($0.number, "\($0.key)") }
        }
        return found + (try lines.finish()).map { ($0.number, "\($0.key)") }
    }

    private func complaint(_ text: String, skip: Int = 0) -> String? {
        do {
            _ = try keys(text, skip: skip)
            return nil
        } catch {
            return (error as? CommandFailure)?.sentence
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func everyLineIsAKeyHoweverTheBytesCome(atATime: Int) throws {
        let found = try keys("user:1\nzwölf\n a b \nlast", atATime: atATime)
        #expect(found.map(\.number) == [1, 2, 3, 4])
        #expect(found.map(\.key) == ["user:1", "zwölf", " a b ", "last"])
    }

    @Test func anEmptyFileHasNone() throws {
        #expect(try keys("").isEmpty)
    }

    @Test func linesThatAreDoneArePassedOverWhateverIsInThem() throws {
        let found = try keys("a\n\nc\nd\n", skip: 2)
        #expect(found.map(\.number) == [3, 4] && found.map(\.key) == ["c", "d"])
        #expect(try keys("a\n", skip: 9).isEmpty)
    }

    @Test func whatIsNoKeyIsNamedByItsLine() {
        #expect(complaint("a\n\nb") == "line 2 of keys.txt is empty; take it out")
        #expect(
            complaint("a\r\nb\r\n")
                == "line 1 of keys.txt ends with a carriage return; write it with newlines alone")
        let long = String(repeating: "x", count: 4_097)
        #expect(
            complaint("a\nb\n\(long)\n")
                == "line 3 of keys.txt is too long: a key has at most 4096 bytes; take it out")
        #expect(complaint("a\n" + long) != nil, "also without an end")
        #expect(complaint(String(long.dropLast())) == nil)
    }

    /// Keys before a wrong line are handed out first.
    @Test func aWrongLineComesAfterTheKeysBeforeIt() throws {
        var lines = KeyLines(name: "keys.txt", skip: 0)
        #expect(try lines.take(Array("a\nb\n\nc\n".utf8)[...]).map(\.number) == [1, 2])
        #expect(throws: CommandFailure.self) { try lines.check() }
        #expect(throws: CommandFailure.self) { try lines.finish() }
    }
}
