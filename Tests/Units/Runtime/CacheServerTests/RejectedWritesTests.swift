import CacheModel
import TestSupport
import Testing

@testable import CacheServer

@Suite struct RejectedWritesTests {
    @Test func rejectionsAreLoggedAtOnceAndThenOnceInAWhile() throws {
        let lines = LinesLogged()
        var rejected = RejectedWrites()
        let start = Instant(nanoseconds: 1_000_000_000)
        rejected.report(to: lines.logger, now: start)
        #expect(lines.lines.isEmpty && rejected.nextDue == nil)
        rejected.add(422)
        rejected.report(to: lines.logger, now: start)
        #expect(lines.count("warning writes: rejected by their origin") == 1)
        #expect(lines.lines.last?.hasSuffix(" count=1 last_status=422") == true, "\(lines.lines)")
        for status in [400, 409] as [UInt16] { rejected.add(status) }
        rejected.report(to: lines.logger, now: start)
        #expect(lines.lines.count == 1)
        let next = try #require(rejected.nextDue)
        rejected.report(to: lines.logger, now: next)
        #expect(lines.lines.last?.hasSuffix(" count=2 last_status=409") == true, "\(lines.lines)")
        #expect(rejected.nextDue == nil)
    }
}
