import ArgumentParser
import CacheModel
import CommandSurface
import ConsoleCore
@testable import MartletClient
import Testing

@testable import martlet

@Suite struct TopCommandTests {
    @Test func whatIsAskedForIsRead() throws {
        let command = try TopCommand.parse([
            "--interval", "250ms", "--sort", "gets", "--reverse", "--filter", "n1",
        ])
        #expect(command.interval == .milliseconds(250))
        #expect(command.sort == .gets)
        #expect(command.reverse)
        #expect(command.filter == "n1")
    }

    @Test(arguments: [
        ["--interval", "1ms"], ["--sort", "beauty"], ["--count", "0"], ["--once", "--count", "2"],
        ["--filter", String(repeating: "x", count: 65)],
    ])
    func whatMakesNoSenseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try TopCommand.parse(arguments) }
    }

    @Test func everyColumnCanBeSortedBy() throws {
        for column in NodeColumn.allCases {
            #expect(try TopCommand.parse(["--sort", column.rawValue]).sort == column)
        }
    }

    @Test(arguments: [(false, "xterm"), (true, "dumb"), (true, "")])
    func whatCanShowNoScreenIsToldWhatCanBeDone(isTerminal: Bool, kind: String) {
        do throws(CommandFailure) {
            try TopCommand.refuse(isTerminal: isTerminal, environment: ["TERM": kind])
            Issue.record("a screen was begun")
        } catch {
            #expect(error.status == .wrongUsage)
            #expect(error.sentence.contains("--once"))
        }
    }

    @Test func aTerminalIsTaken() throws {
        try TopCommand.refuse(isTerminal: true, environment: ["TERM": "xterm-256color"])
    }

    @Test func keysOfEndpointsAreCutAndDenialsAreTold() {
        let key = String(repeating: "a", count: 64)
        let topology = ClusterTopology(
            version: 1, kind: .sharded, controlEndpoint: "tcp://127.0.0.1:7400?key=\(key)",
            liveEndpoint: "", nodes: [])
        guard case .topology(let told) = ClusterNews.told(topology) else {
            Issue.record("it is told as something else")
            return
        }
        #expect(told.publisher == "tcp://127.0.0.1:7400?key=aaaaaaaa…")
        #expect(Absence(CacheError(.unauthorised, "you may not know")).isDenial)
        #expect(!Absence(CacheError(.timedOut, "it took too long")).isDenial)
    }
}
