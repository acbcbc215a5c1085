import CacheModel
import Testing

@testable import CacheLoading

@Suite struct JitterTests {
    @Test func aSeedTellsOneStory() {
        var (one, same, other) = (Jitter(seed: 1), Jitter(seed: 1), Jitter(seed: 2))
        let story = (0..<20).map { _ in one.upTo(.seconds(1)) }
        let again = (0..<20).map { _ in same.upTo(.seconds(1)) }
        let another = (0..<20).map { _ in other.upTo(.seconds(1)) }
        #expect(story == again)
        #expect(story != another)
    }

    @Test func everythingUpToTheLongestIsReached() {
        var jitter = Jitter(seed: 3)
        let seen = Set((0..<1_000).map { _ in jitter.upTo(.nanoseconds(9)).wholeNanoseconds })
        #expect(seen == Set(0...9))
        let none = jitter.upTo(.zero)
        #expect(none == .zero)
    }

    @Test func aroundIsWithinItsShare() throws {
        var jitter = Jitter(seed: 3)
        let share = try #require(Percent(10))
        let rolls = (0..<1_000).map { _ in jitter.around(.seconds(10), by: share) }
        #expect(rolls.allSatisfy { (.seconds(9) ... .seconds(11)).contains($0) })
        #expect(rolls.contains { $0 < .milliseconds(9_100) })
        #expect(rolls.contains { $0 > .milliseconds(10_900) })
    }
}
