import Histogram
import Testing

@testable import LoadTest

/// What figures must not claim.
@Suite struct HonestFiguresTests {
    private static func run(_ phase: PhaseFigures = PhaseFigures(name: "steady")) -> RunFigures {
        var run = RunFigures(title: "", version: "", subject: "")
        run.phases = [phase]
        return run
    }

    private static func says(_ run: RunFigures, _ text: String) -> Bool {
        run.cautions.contains { $0.sentence.contains(text) }
    }

    @Test func answersOfWhichNothingWasPromisedProveNothing() {
        var run = Self.run()
        var verification = VerificationFigures()
        verification.freshCount = 157
        verification.staleCount = 2
        verification.missCount = 25_273
        run.verification = verification
        #expect(verification.answersChecked == 159, "a miss shows nothing to check")
        #expect(Self.says(run, "nothing is known of how old answers are"))
        #expect(!ReportPage(run).html.contains("answers under a promise was older"))
        run.verification?.promisedCount = 1
        #expect(!Self.says(run, "nothing is known of how old answers are"))
    }

    @Test func moreRefusedFillsThanChangesAreSaid() {
        var run = Self.run()
        run.verification = VerificationFigures()
        run.verification?.changeCount = 10
        run.verification?.fillsRefused = 10
        #expect(!Self.says(run, "refused"))
        run.verification?.fillsRefused = 11
        #expect(Self.says(run, "11 fills were refused"))
    }

    private static func schedule(
        late: UInt64, of count: Int, notSent: UInt64 = 0
    ) -> ScheduleFigures {
        var schedule = ScheduleFigures()
        schedule.dueCount = 1_000
        schedule.notSentCount = notSent
        for index in 0..<1_000 {
            schedule.lateness.note(nanoseconds: index < count ? late : 1_000)
        }
        return schedule
    }

    @Test func aRateIsKeptIfNearlyAllWasSentInTime() {
        #expect(Self.schedule(late: 1_730_000_000, of: 10).isKept)
        #expect(!Self.schedule(late: 1_730_000_000, of: 11).isKept)
        #expect(Self.schedule(late: 9_000_000, of: 1_000).isKept)
        #expect(Self.schedule(late: 0, of: 0, notSent: 10).isKept)
        #expect(!Self.schedule(late: 0, of: 0, notSent: 11).isKept)
        #expect(ScheduleFigures().isKept)
    }

    @Test func whatWasSentLateIsSaid() {
        var phase = PhaseFigures(name: "steady")
        phase.schedule = Self.schedule(late: 1_730_000_000, of: 20)
        #expect(Self.says(Self.run(phase), "was sent more than 1.73 s after it was due"))
        #expect(Self.says(Self.run(phase), "not kept"))
        phase.schedule = Self.schedule(late: 0, of: 0, notSent: 1)
        #expect(Self.says(Self.run(phase), "1 key was due and never sent"))
        #expect(!Self.says(Self.run(phase), "not kept"))
    }

    @Test func anEchoIsNoCluster() {
        var phase = PhaseFigures(name: "steady")
        phase.generator.limit = .echo
        var run = Self.run(phase)
        run.isEcho = true
        #expect(Self.says(run, "the echo was the limit; the generator may be faster"))
        #expect(!Self.says(run, "generator's speed"))
        #expect(run.generatorSentence(of: phase) == "the echo was the limit, not the generator")
    }

    @Test func nodesThatReceivedNoRequestsAreReported() {
        var run = Self.run()
        var worker = WorkerFigures(machine: MachineFacts(), threadCount: 1, connectionCount: 1)
        worker.askedNodes = WorkerFigures.AskedNodes(1, of: 3)
        run.workers = [worker]
        #expect(Self.says(run, "Of 3 nodes that answer for every key 1 was asked"))
        run.workers = [worker, worker, worker]
        #expect(!Self.says(run, "answer for every key"))
    }
}
