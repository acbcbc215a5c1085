import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct PacedReportTests {
    private func report(
        _ state: PacedInvalidation.State, receipt: InvalidationReceipt? = nil,
        wait: InvalidationWait = .all
    ) throws -> PacedReport {
        let order = InvalidationRequest(
            scopes: [Scope(.everything)], wait: wait, patience: .seconds(5))
        return PacedReport(
            order: order, pacing: try PacingListingTests.pacing(state), receipt: receipt)
    }

    @Test func theReceiptOfTheLastSliceSaysWhatItIsOf() throws {
        let receipt = InvalidationReceipt(
            position: Sample.position(264), wait: .all, isComplete: true, nearCacheDelay: .zero,
            applied: [.init(node: try Sample.node("n1"), elapsed: .microseconds(412))],
            expired: [], pending: [])
        let output = try report(.over, receipt: receipt).output(.plain)
        #expect(
            output.text.hasSuffix(
                "everything invalidated at 1:264 · over 30s in 256 parts · 1 applied · "
                    + "waited for all\n"))
        #expect(output.status == .done)
        let json = try report(.over, receipt: receipt).output(.json).text
        #expect(json.contains(#""complete":true"#) && json.contains(#""pacing":{"id":3"#))
    }

    @Test func aReportWithoutAWaitSaysThatThePacingContinues() throws {
        let output = try report(.running, wait: .none).output(.plain)
        #expect(output.text.contains("pacing 3 hides everything, softly over 30s, in 256 parts"))
        #expect(output.text.contains("the publisher continues by itself"))
        #expect(output.status == .done)
        let json = try report(.running, wait: .none).output(.json).text
        #expect(json.contains(#""complete":true"#))
    }

    @Test func aCancelledOneEndsWithTwo() throws {
        let output = try report(.cancelled).output(.plain)
        #expect(output.text.contains("had hidden 25% of the keys when it was cancelled"))
        #expect(output.status == .incomplete)
        #expect(try report(.cancelled).output(.json).text.contains(#""complete":false"#))
    }

    @Test func aPublisherThatForgotItIsSaidToHave() throws {
        var latest = try PacingListingTests.pacing()
        latest.isDurable = false
        let error = PacedReport.forgotten(latest)
        #expect(error.sentence.contains("25% of the keys"))
        #expect(error.sentence.contains("in memory") && error.status == .incomplete)
    }
}
