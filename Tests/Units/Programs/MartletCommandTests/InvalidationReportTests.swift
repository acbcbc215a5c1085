import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct InvalidationReportTests {
    private func report(isComplete: Bool, pending: [String] = ["n3"]) throws -> InvalidationReport {
        let order = InvalidationRequest(
            scopes: [Scope(.tag(try Sample.tag("news"), in: .default))], wait: .all,
            patience: .seconds(1))
        let receipt = InvalidationReceipt(
            position: Sample.position(17), wait: .all, isComplete: isComplete,
            nearCacheDelay: .zero,
            applied: [.init(node: try Sample.node("n1"), elapsed: .microseconds(412))],
            expired: [.init(node: try Sample.node("n2"), elapsed: .milliseconds(2_950))],
            pending: try pending.map(Sample.node))
        return InvalidationReport(order: order, receipt: receipt)
    }

    @Test func anIncompleteReceiptNamesPendingNodesAndExitsWithTwo() throws {
        let output = try report(isComplete: false).output(.plain)
        #expect(
            output.text == """
                node  state          ms
                n1    applied     0.412
                n2    expired  2950.000
                n3    pending         –
                tag news invalidated at 1:17 · 1 applied, 1 expired, 1 pending · waited for all

                """)
        #expect(output.complaints.count == 1)
        #expect(
            output.complaints.first?.hasPrefix("not complete: n3 has not applied it within 1s; ")
                == true)
        #expect(output.status == .incomplete)
    }

    @Test func aCompleteReceiptExitsWithZeroDespitePendingNodes() throws {
        let output = try report(isComplete: true).output(.plain)
        #expect(output.complaints.isEmpty)
        #expect(output.status == .done)
    }

    @Test func jsonHasExactlyItsFields() throws {
        let output = try report(isComplete: false).output(.json)
        #expect(
            output.text == """
                {"position":"1:17","scopes":[{"kind":"tag","name":"news",\
                "namespace":"default"}],"wait":"all","complete":false,\
                "applied":[{"node":"n1","ms":0.412}],"expired":[{"node":"n2","ms":2950.0}],\
                "pending":[{"node":"n3"}]}

                """)
        #expect(output.status == .incomplete)
    }

    @Test func aReceiptTellsHowManyEntriesItCovered() throws {
        var report = try report(isComplete: true, pending: [])
        let counts = try ["n1", "n2"].map {
            NodeCount(node: try Sample.node($0), entryCount: 6, entryBytes: 100)
        }
        report.covered = EntryCount(counts)
        #expect(report.output(.plain).text.contains("1:17 · 12 entries covered · 1 applied"))
        #expect(report.output(.plain).complaints.isEmpty)
        #expect(
            report.output(.json).text.contains(
                #""pending":[],"entries":12,"bytes":200,"exact":true}"#))
    }

    @Test func aTagThatCoversNothingIsSaidAndIsNoFailure() throws {
        var report = try report(isComplete: true, pending: [])
        report.covered = EntryCount([])
        #expect(report.output(.plain).text.contains(" · 0 entries covered · "))
        #expect(
            report.output(.plain).complaints == [
                "tag news covers no entry that is cached now; see whether the name is right"
            ])
        #expect(report.output(.plain).status == .done)
        report.order.scopes = [Scope(.key(try Sample.key("a"), in: .default))]
        #expect(report.output(.plain).complaints.isEmpty)
    }

    @Test func quietLeavesTheReceiptOutAndKeepsTheDebt() throws {
        let done = try report(isComplete: true).output(.plain).quieted(confirms: true)
        #expect(done == CommandOutput())
        let owed = try report(isComplete: false).output(.plain).quieted(confirms: true)
        #expect(owed.bytes.isEmpty && owed.complaints.count == 1 && owed.status == .incomplete)
    }

    @Test func aReceiptTellsItsClusterWithThePosition() throws {
        var report = try report(isComplete: true)
        report.cluster = ClusterID(0xC0FF_EE00)
        #expect(report.output(.plain).text.contains(" at 1:17@00000000c0ffee00 · "))
        #expect(
            report.output(.json).text.hasPrefix(
                #"{"position":"1:17","cluster":"00000000c0ffee00","scopes":["#))
    }

    @Test func whatPeopleShouldKnowIsInTheSummary() throws {
        var report = try report(isComplete: true, pending: [])
        report.order.strength = .soft
        report.order.scopes.append(Scope(.everything))
        report.receipt.nearCacheDelay = .milliseconds(500)
        #expect(
            report.output(.plain).text.hasSuffix(
                "tag news and 1 more invalidated softly at 1:17 · 1 applied, 1 expired · "
                    + "waited for all · near caches may answer with it for 500ms\n"))
    }
}
