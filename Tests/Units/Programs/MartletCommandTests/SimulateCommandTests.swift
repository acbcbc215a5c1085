import CommandSurface
import Testing

@testable import martlet

@Suite struct SimulateCommandTests {
    @Test(arguments: ["simulate", "simulate --seeds 20000", "simulate --help", "simulate a --b"])
    func whateverFollowsItSaysWhereTheSimulationIs(line: String) throws {
        let command = try Sample.command(line, as: SimulateCommand.self)
        let failure = #expect(throws: CommandFailure.self) { try command.run() }
        #expect(failure?.status == .wrongUsage)
        #expect(failure?.sentence.hasSuffix("swift run -c release martlet-simulate") == true)
    }
}
