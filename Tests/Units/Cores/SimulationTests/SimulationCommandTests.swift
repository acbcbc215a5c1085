import ArgumentParser
import CacheModel
import CommandSurface
import Testing

@testable import martlet_simulate

@Suite struct SimulationCommandTests {
    @Test(arguments: [
        ("--seeds 0", "--seeds is at least 1"),
        ("--from 18446744073709551615", "go beyond the last seed there is"),
        ("--disable luck", "\"luck\" is no guard; --list-guards names them"),
        ("--seed luck", "'luck' is invalid for '--seed <seed>'"),
        ("--mutants --named-seeds", "exclude each other"),
        ("--seed 3 --list-guards", "exclude each other"),
        ("--seed 3 --nodes 4", "exclude each other"),
        ("--nodes 1", "--nodes is 2 to 999"),
        ("--mutants --disable wait-set", "choose the guards themselves"),
    ])
    func wrongUsageIsOneLineAndEndsWith64(line: String, sentence: String) throws {
        let arguments = line.split(separator: " ").map(String.init)
        let error = #expect(throws: (any Error).self) {
            try SimulationCommand.parseAsRoot(arguments)
        }
        let ending = CommandEnding(
            try #require(error), of: SimulationCommand.self, arguments: arguments)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains(sentence), "said: \(ending.complaint)")
        #expect(ending.complaint.hasSuffix("(see martlet-simulate --help)"))
        #expect(!ending.complaint.contains("\n"))
    }

    @Test func theListNamesEveryGuardOnceAndSaysWhatItChecks() {
        let lines = SimulationCommand.guardList.text.split(separator: "\n").dropFirst()
        #expect(lines.count == ProtocolGuard.allCases.count)
        for (line, one) in zip(lines, ProtocolGuard.allCases) {
            #expect(line.hasPrefix(one.rawValue) && line.hasSuffix("."))
        }
    }

    @Test func silentSeedsAreSummedUp() async {
        let plan = SimulationPlan(guards: .all, disabled: [])
        let report = await plan.run(from: 3, count: 2)
        let output = report.output(.text(isColoured: false))
        #expect(output.status == .done && output.complaints == [])
        #expect(output.text.hasPrefix("2 seeds from 3 on: "))
        #expect(output.text.hasSuffix("violations  0\n2 passed, 0 failed\n"))
        #expect(report.output(.json).text.hasSuffix("\"never_met\":[],\"violations\":[]}\n"))
    }

    @Test func whatAHundredSeedsNeverMeetFails() {
        let report = SimulationReport(first: 1, count: 100, processors: 2, disabled: [])
        let output = report.output(.text(isColoured: false))
        #expect(output.status == .violation)
        #expect(output.complaints.contains("the simulation never meets: loads"))
        #expect(!output.complaints.contains("the simulation never meets: epochs"))
        #expect(output.text.hasSuffix("100 passed, \(report.neverMet.count) failed\n"))
        let other = SimulationReport(first: 1, count: 100, processors: 2, disabled: [.waitSet])
        #expect(other.output(.text(isColoured: false)).status == .done)
    }

    @Test func aSeedIsToldWithEveryEvent() throws {
        let output = try SimulationPlan(guards: .all, disabled: []).tell(3)
        #expect(output.status == .done && output.program == "martlet-simulate")
        #expect(output.text.contains("publisher: starts"))
        #expect(output.text.contains("has passed"))
    }

    @Test func checksKeepTheirOrderAndAreCounted() async {
        let report = await CheckReport.running(40) {
            SimulationCheck(name: "check \($0)", isPassed: $0 != 7, sentence: "done")
        }
        #expect(report.checks.map(\.name) == (0..<40).map { "check \($0)" })
        let output = report.output(.text(isColoured: false))
        #expect(output.text.hasPrefix("check 0: done\ncheck 1: done\n"))
        #expect(output.text.hasSuffix("39 passed, 1 failed\n"))
        #expect(output.complaints == ["check 7: done"] && output.status == .violation)
        #expect(report.output(.json).text.hasSuffix("],\"passed\":39,\"failed\":1}\n"))
    }

    @Test func changesOfALargeClusterAreATableOrAList() {
        let plan = LargeClusterPlan(nodeCount: 2)
        let output = plan.run(.text(isColoured: false))
        #expect(output.status == .done)
        let lines = output.text.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("change "))
        #expect(lines[1].hasPrefix("2 nodes start ") && lines[3].hasPrefix("it dies "))
        let json = plan.run(.json).text
        #expect(json.hasPrefix("[{\"change\":\"2 nodes start\",\"slots\":"))
        #expect(json.contains("\"change\":\"it dies\",\"slots\":5461,\"records\":2,"))
    }

    @Test func theCheckedBuildRefusalSaysHowToBuild() {
        #expect(CheckedBuild.refusal.status == .refused)
        #expect(CheckedBuild.refusal.sentence.contains("MARTLET_CHECKED=1 swift build"))
    }

    #if MARTLET_MUTANTS
        @Test func aBrokenPromiseEndsWith5AndSaysHowToTellItAgain() async throws {
            let guards = try #require(Guards(without: [.waitSet]))
            let plan = SimulationPlan(guards: guards, disabled: [.waitSet])
            let output = await plan.run(from: 1, count: 2).output(.text(isColoured: false))
            #expect(output.status == .violation)
            let again = "martlet-simulate --seed 1 --disable wait-set"
            #expect(output.complaints.first?.contains(again) == true)
            #expect(output.text.contains("violations  2\n"))
            #expect(output.text.hasSuffix("0 passed, 2 failed\n"))
            #expect(try plan.tell(1).status == .violation)
        }
    #endif
}
