import Testing

@testable import LoadTest

@Suite struct RunFiguresJoiningTests {
    private static func part(_ number: Int, of count: Int, start: UInt64 = 1_000) -> RunFigures {
        var run = SampleRun.oneAnswer()
        run.workers[0].part = WorkerFigures.Part(number: number, of: count)
        run.workers[0].startedAt = start
        return run
    }

    @Test func partsAreAddedInWhateverOrderTheyCome() throws {
        let run = try RunFigures.joined([Self.part(2, of: 2), Self.part(1, of: 2)])
        #expect(run.total.keyCount == 2)
        #expect(run.total.keysPerSecond == 4)
        #expect(run.phases[0].series.moments.map(\.keyCount) == [2])
        #expect(run.workers.compactMap(\.part?.description) == ["1/2", "2/2"])
        #expect(run.cautions == [])
    }

    @Test func whatIsMissingOrBeganApartIsSaid() throws {
        let run = try RunFigures.joined([
            Self.part(1, of: 4), Self.part(3, of: 4, start: 3_500),
        ])
        #expect(run.missingParts.map(\.number) == [2, 4])
        #expect(run.startSpread == 2.5)
        #expect(
            run.cautions.map(\.sentence) == [
                "No report of part 2/4, 4/4: its load is missing.",
                "The machines began 2.50 s apart by their own clocks.",
            ])
    }

    @Test func whatIsNoPartOfTheSameLoadTestIsRefused() {
        let one = Self.part(1, of: 2)
        var phases = Self.part(2, of: 2)
        phases.phases[0].name = "other"
        var version = Self.part(2, of: 2)
        version.version = "0.2.0"
        var echo = Self.part(2, of: 2)
        echo.isEcho = true
        var alone = Self.part(1, of: 2)
        alone.workers[0].part = nil
        var nobody = Self.part(2, of: 2)
        nobody.workers = []
        #expect(throws: Never.self, "one report is shown again") { try RunFigures.joined([alone]) }
        let refused: [([RunFigures], JoinFault)] = [
            ([], .nothing), ([one, phases], .phases(["bench"], ["other"])),
            ([one, version], .versions("0.1.0", "0.2.0")), ([one, echo], .echo),
            ([one, alone], .noPart), ([alone, alone], .noPart), ([nobody, one], .noPart),
            ([one, one], .twice(WorkerFigures.Part(number: 1, of: 2))),
            ([one, Self.part(2, of: 3)], .counts(2, 3)),
        ]
        for (reports, fault) in refused {
            #expect(throws: fault) { try RunFigures.joined(reports) }
            #expect(!fault.description.isEmpty)
        }
    }

    @Test func verificationIsAddedAndSaidFirst() throws {
        var one = Self.part(1, of: 2)
        one.verification = VerificationFigures()
        one.verification?.freshCount = 5
        var other = Self.part(2, of: 2)
        other.verification = one.verification
        other.verification?.violationCount = 1
        other.verification?.endedTheRun = true
        let run = try RunFigures.joined([one, other])
        #expect(run.verification?.answersChecked == 10)
        #expect(run.cautions.first?.weight == .violation)
        #expect(run.cautions.first?.sentence == "1 answer was wrong. The run ended there.")
    }
}
