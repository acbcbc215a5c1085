import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct DryRunReportTests {
    private func report() throws -> DryRunReport {
        let order = InvalidationRequest(
            scopes: [Scope(.everything)], wait: .quorum, patience: .seconds(5))
        return DryRunReport(
            order: order,
            counts: [
                NodeCount(node: try Sample.node("n1"), entryCount: 2, entryBytes: 300),
                NodeCount(node: try Sample.node("n2"), entryCount: 10, entryBytes: 1_500),
            ])
    }

    @Test func itSaysWhatWouldBeHiddenAndThatNothingWas() throws {
        #expect(
            try report().output(.plain).text == """
                node  entries  bytes
                n1          2    300
                n2         10   1500
                everything would hide 12 entries of 1800 bytes · a dry run, nothing was invalidated

                """)
    }

    @Test func whereSomeNodeKnowsOnlyABoundItSaysSo() throws {
        var report = try report()
        report.counts[1].isExact = false
        #expect(
            report.output(.plain).text.contains(
                "everything would hide at most 12 entries of 1800 bytes · a dry run"))
        #expect(report.output(.json).text.contains("\"exact\":false"))
    }

    @Test func jsonIsAReceiptWithTheCounts() throws {
        #expect(
            try report().output(.json).text == """
                {"position":null,"scopes":[{"kind":"all"}],"wait":"quorum","complete":null,\
                "applied":[],"expired":[],"pending":[],"entries":12,"bytes":1800,"exact":true,\
                "nodes":[{"node":"n1","entries":2,"bytes":300},\
                {"node":"n2","entries":10,"bytes":1500}]}

                """)
    }
}
