import CacheModel
import Testing

@testable import martlet

@Suite struct SimulateCommandTests {
    @Test(arguments: [
        ("simulate --seeds 0", "--seeds is at least 1"),
        ("simulate --from 18446744073709551615", "go beyond the last seed there is"),
        ("simulate --disable luck", "\"luck\" is no guard; --list-guards names them"),
        ("simulate --seed luck", "'luck' is invalid for '--seed <seed>'"),
    ])
    func wrongUsageIsOneLineAndEndsWith64(line: String, sentence: String) throws {
        let ending = try Sample.ending(line)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains(sentence), "said: \(ending.complaint)")
        #expect(!ending.complaint.contains("\n"))
    }

    @Test func theListNamesEveryGuardOnceAndSaysWhatItChecks() {
        let lines = SimulateCommand.guardList.text.split(separator: "\n").dropFirst()
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
        #expect(output.text.hasSuffix("violations  0\n"))
        #expect(report.output(.json).text.hasSuffix("\"violations\":[]}\n"))
    }

    @Test func aSeedIsToldWithEveryEvent() throws {
        let output = try SimulationPlan(guards: .all, disabled: []).tell(3)
        #expect(output.status == .done)
        #expect(output.text.contains("publisher: starts"))
        #expect(output.text.contains("has passed"))
    }

    #if MARTLET_MUTANTS
        @Test func aBrokenPromiseEndsWith5AndSaysHowToTellItAgain() async throws {
            let guards = try #require(Guards(without: [.waitSet]))
            let plan = SimulationPlan(guards: guards, disabled: [.waitSet])
            let output = await plan.run(from: 1, count: 2).output(.text(isColoured: false))
            #expect(output.status == .violation)
            let again = "martlet simulate --seed 1 --disable wait-set"
            #expect(output.complaints.first?.contains(again) == true)
            #expect(output.text.contains("violations  2\n"))
            #expect(try plan.tell(1).status == .violation)
        }
    #endif
}
