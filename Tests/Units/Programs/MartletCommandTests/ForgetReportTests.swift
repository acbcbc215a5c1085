import CacheModel
import CommandSurface
import Testing

@testable import martlet

@Suite struct ForgetReportTests {
    private func output(_ runCount: Int, _ style: OutputStyle) throws -> CommandOutput {
        ForgetReport(node: try Sample.node("n2"), runCount: runCount).output(style)
    }

    @Test func itSaysWhatWasDropped() throws {
        #expect(
            try output(1, .plain).text
                == "n2 is forgotten (1 run): it counts as never heard, and keeps its keys "
                + "unless the log assigns slots\n")
        #expect(try output(2, .plain).text.contains("(2 runs)"))
        #expect(try output(1, .plain).status == .done)
    }

    @Test func thatNothingWasKnownIsSuccessToo() throws {
        let output = try output(0, .plain)
        #expect(
            output.text == "nothing was known of n2: it was never heard, or has said goodbye\n")
        #expect(output.status == .done)
    }

    @Test func theJSONSaysTheSame() throws {
        #expect(
            try output(0, .json).text == """
                {"node":"n2","runs":0,"why":"nothing was known of n2: it was never heard, or has \
                said goodbye"}

                """)
    }
}
