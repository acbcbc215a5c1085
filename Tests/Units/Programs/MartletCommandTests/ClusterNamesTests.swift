import ArgumentParser
import CommandSurface
import Testing

@testable import martlet

@Suite struct ClusterNamesTests {
    @Test func aHalfTypedLineSaysWhichClusterIsMeant() {
        #expect(
            ClusterNames.clusterFlags(in: [
                "martlet", "get", "--cluster", "\"localhost:7500\"", "--key=ada.key", "--node",
            ]) == ["--cluster", "localhost:7500", "--key", "ada.key"])
        #expect(ClusterNames.clusterFlags(in: ["martlet", "drain", "--cluster"]).isEmpty)
    }

    @Test(arguments: CompletionCommand.Shell.allCases)
    func everyShellHasAScriptThatAsksForNames(shell: CompletionCommand.Shell) throws {
        let command: CompletionCommand = try Sample.command("completion \(shell.rawValue)")
        #expect(command.script.contains("---completion drain --"))
        #expect(command.script.contains("invalidate") && command.script.hasSuffix("\n"))
    }
}
