import ArgumentParser
import CommandSurface
import MartletClient
import Testing

@testable import martlet

@Suite struct StepDownReportTests {
    private func output(_ style: OutputStyle) -> CommandOutput {
        let change = LeadershipChange(
            former: .init(name: "p1", controlEndpoint: "tcp://10.0.0.1:7400"),
            leader: .init(name: "p2", controlEndpoint: "tcp://10.0.0.2:7400"),
            elapsed: .milliseconds(214))
        return StepDownReport(change: change).output(style)
    }

    @Test func itNamesBothPublishersAndTheTime() {
        #expect(
            output(.plain).text
                == "p1 (tcp://10.0.0.1:7400) led; p2 (tcp://10.0.0.2:7400) leads now, after 214ms\n"
        )
        #expect(output(.plain).status == .done)
    }

    @Test func theJSONSaysTheSame() {
        #expect(
            output(.json).text == """
                {"former":{"name":"p1","control":"tcp://10.0.0.1:7400"},"leader":{"name":"p2",\
                "control":"tcp://10.0.0.2:7400"},"elapsed_ms":214,"why":"p1 \
                (tcp://10.0.0.1:7400) led; p2 (tcp://10.0.0.2:7400) leads now, after 214ms"}

                """)
    }

    /// The command of a role, and one that orders something of the cluster.
    @Test func thePublisherStillStartsWithoutASubcommand() throws {
        let publisher = try MartletCommand.parseAsRoot(["publisher", "--nodes", "2"])
        #expect((publisher as? PublisherCommand)?.nodes == 2)
        let order = try MartletCommand.parseAsRoot([
            "publisher", "step-down", "--cluster", "tcp://10.0.0.1:7400", "--timeout", "3s",
            "--json", "--key", "user.key",
        ])
        let command = try #require(order as? StepDownCommand)
        #expect(command.cluster.cluster == "tcp://10.0.0.1:7400")
        #expect(command.cluster.patience == .seconds(3) && command.cluster.json)
        #expect(command.cluster.key == "user.key")
    }
}
