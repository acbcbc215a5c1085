import CacheConfiguration
import CacheModel
import MartletClient
import Testing

@testable import martlet

@Suite struct ArgumentTextTests {
    @Test func limitsHoldAtBothEnds() throws {
        func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
        #expect(try ArgumentText.key(letters(4_096)).bytes.count == 4_096)
        #expect(throws: TextProblem.self) { try ArgumentText.key(letters(4_097)) }
        #expect(throws: TextProblem.self) { try ArgumentText.key("") }
        #expect(try ArgumentText.tag(letters(255)).bytes.count == 255)
        #expect(throws: TextProblem.self) { try ArgumentText.tag(letters(256)) }
        #expect(try ArgumentText.prefix(letters(4_096)).count == 4_096)
        #expect(throws: TextProblem.self) { try ArgumentText.prefix(letters(4_097)) }
        #expect(throws: TextProblem.self) { try ArgumentText.prefix("") }
        #expect(try ArgumentText.etag(letters(255)).bytes.count == 255)
        #expect(throws: TextProblem.self) { try ArgumentText.etag("") }
    }

    @Test func lengthsCountBytesAndNotLetters() {
        #expect(throws: TextProblem("a tag has 1 to 255 bytes, not 256")) {
            try ArgumentText.tag(String(repeating: "ä", count: 128))
        }
    }

    @Test func aLifetimeIsATimeOrNone() throws {
        #expect(try ArgumentText.lifetime("10m") == .after(.seconds(600)))
        #expect(try ArgumentText.lifetime("none") == .never)
        #expect(throws: TextProblem.self) { try ArgumentText.lifetime("0ms") }
        #expect(throws: TextProblem.self) { try ArgumentText.lifetime("forever") }
    }

    @Test func aPositionIsReadAsItIsWritten() throws {
        let position = Sample.position(42, epoch: 7)
        #expect(try ArgumentText.position(position.description) == ClusterPosition(position))
        let named = ClusterPosition(position, of: try #require(ClusterID(text: "00c0ffee00c0ffee")))
        #expect(try ArgumentText.position("7:42@00c0ffee00c0ffee") == named)
        #expect(throws: TextProblem.self) { try ArgumentText.position("7:42@coffee") }
    }

    @Test func aVersionIsAboveZeroAndHas64Bits() throws {
        #expect(try ArgumentText.version("18446744073709551615") == Version(.max))
        #expect(throws: TextProblem.self) { try ArgumentText.version("18446744073709551616") }
        #expect(throws: TextProblem.self) { try ArgumentText.version("0") }
    }

    @Test(arguments: InvalidationWait.allCases)
    func everyWaitCanBeTyped(wait: InvalidationWait) throws {
        #expect(try ArgumentText.wait(wait.rawValue) == wait)
    }
}
