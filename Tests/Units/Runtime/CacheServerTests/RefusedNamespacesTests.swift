import CacheModel
import TestSupport
import Testing

@testable import CacheServer

@Suite struct RefusedNamespacesTests {
    @Test func refusalsAreLoggedAtOnceAndThenOnceInAWhile() {
        let lines = LinesLogged()
        var refused = RefusedNamespaces()
        let start = Instant(nanoseconds: 1_000_000_000)
        func report(_ count: UInt64, after time: Duration) {
            refused.report(count, to: lines.logger, shard: 3, now: start.advanced(by: time))
        }
        report(0, after: .zero)
        #expect(lines.lines.isEmpty)
        report(2, after: .zero)
        report(9, after: .milliseconds(1))
        #expect(lines.count("warning namespaces: refused") == 1)
        #expect(lines.lines.last?.hasSuffix(" refused=2 shard=3") == true, "\(lines.lines)")
        report(9, after: ServerLimits.namespaceReportInterval)
        #expect(lines.lines.last?.hasSuffix(" refused=7 shard=3") == true, "\(lines.lines)")
        report(9, after: ServerLimits.namespaceReportInterval * 2)
        #expect(lines.lines.count == 2, "no more were refused")
    }
}
