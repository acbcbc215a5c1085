import Histogram

@testable import LoadTest

/// What reports have to be able to tell.
extension SampleRun {
    static func minute(keysPerLatency: UInt64 = 2_000) -> RunFigures {
        var sample = SampleRun()
        sample.keysPerLatency = keysPerLatency
        var run = frame("Nightly: read-mostly, one node")
        var warmUp = sample.phase("warm-up", seconds: 10)
        warmUp.isWarmUp = true
        run.phases = [warmUp, sample.phase("steady", seconds: 60, at: 10.1)]
        run.echoKeysPerSecond = 1_930_000
        return run
    }

    static func threeSeconds() -> RunFigures {
        var sample = SampleRun(seed: 3)
        var run = frame("martlet bench")
        run.phases = [sample.phase("bench", seconds: 3)]
        run.wasCutShort = true
        return run
    }

    /// A node dies and comes back; then an old value is served.
    static func trouble(keysPerLatency: UInt64 = 2_000) -> RunFigures {
        var sample = SampleRun(seed: 5)
        sample.keysPerLatency = keysPerLatency
        var run = frame("A node dies <script>alert(1)</script>")
        var phase = sample.phase("steady & open", seconds: 40)
        var broken = MomentSeries()
        for (second, moment) in phase.series.moments.enumerated() {
            broken.add(troubled(moment, second), at: Double(second))
        }
        phase.series = broken
        phase.operations[0].errors = ["lost": 31_204, "busy": 811]
        phase.operations[1].errors = ["lost": 1_502]
        phase.operations[0].staleCount = 12_000
        phase.generator.limit = .generator
        phase.generator.processorSeconds = phase.seconds * 0.995
        var schedule = ScheduleFigures()
        schedule.ratePerSecond = 400_000
        schedule.dueCount = 16_000_000
        schedule.notSentCount = 1_420_000
        schedule.backlogMax = 400_000
        for index in 0..<20_000 { schedule.lateness.note(nanoseconds: UInt64(index) * 900) }
        phase.schedule = schedule
        phase.asked = "open loop, 400 000 per second for 40 s"
        phase.wasCutShort = true
        run.phases = [phase]
        run.verification = verification()
        return run
    }

    private static func troubled(_ moment: Moment, _ second: Int) -> Moment {
        guard (15..<21).contains(second) else { return moment }
        var moment = moment
        if second < 18 {
            moment = Moment()
            moment.seconds = 1
            moment.errorCount = 9_000
            moment.keyCount = 9_000
        } else {
            for _ in 0..<400 { moment.latency.note(nanoseconds: 180_000_000) }
        }
        moment.notSentCount = 380_000
        return moment
    }

    private static func verification() -> VerificationFigures {
        var verification = VerificationFigures()
        verification.freshCount = 14_309_980
        verification.promisedCount = 9_104_311
        verification.staleCount = 42
        verification.missCount = 611_008
        verification.fillsRefused = 19
        verification.changeCount = 2_004
        verification.receiptsComplete = 1_960
        verification.receiptsIncomplete = 44
        verification.violationCount = 1
        verification.endedTheRun = true
        var violation = ViolationFigures(
            key: Array("k00000<b>7\u{1B}[31m".utf8),
            sentence: "A fresh value of version 3 was answered; version 4 was promised.")
        violation.phase = "steady & open"
        violation.atSeconds = 38.214
        violation.history = [
            "38.101 s  changed to version 4",
            "38.101 s  invalidation sent at position 1/88213",
            "38.103 s  receipt: all 3 nodes obeyed",
            "38.214 s  get sent to tcp://127.0.0.1:7401: must show at least version 4",
            "38.214 s  answered: version 3, fresh, filled at 1/87990",
        ]
        verification.violations = [violation]
        return verification
    }

    static func severalPhases(keysPerLatency: UInt64 = 2_000) -> RunFigures {
        var sample = SampleRun(seed: 11)
        sample.keysPerLatency = keysPerLatency
        var run = frame("Ramp to the limit, then YCSB B")
        var offset = 0.0
        for (index, rate) in [50_000, 100_000, 200_000, 400_000, 300_000].enumerated() {
            sample.keysPerSecond = rate
            let name = ["warm-up", "quarter", "half", "full", "YCSB B"][index]
            var phase = sample.phase(name, seconds: 20, at: offset)
            phase.isWarmUp = index == 0
            if (1...3).contains(index) {
                var schedule = ScheduleFigures()
                schedule.ratePerSecond = Double(rate)
                schedule.dueCount = UInt64(rate) * 20
                phase.schedule = schedule
                phase.generator.limit = .schedule
                phase.asked = "open loop, \(rate) per second for 20 s"
            }
            offset += phase.seconds + 1.2
            run.phases.append(phase)
        }
        return run
    }

    static func oneAnswer() -> RunFigures {
        var run = frame("one answer")
        var phase = PhaseFigures(name: "bench")
        phase.seconds = 0.5
        var gets = OperationFigures(kind: "get")
        gets.operationCount = 1
        gets.keyCount = 1
        gets.hitCount = 1
        gets.latency.note(nanoseconds: 123_456)
        phase.operations = [gets]
        var moment = Moment()
        moment.seconds = 0.5
        moment.operationCount = 1
        moment.keyCount = 1
        moment.hitCount = 1
        moment.latency.note(nanoseconds: 123_456)
        phase.series.add(moment, at: 0)
        run.phases = [phase]
        return run
    }
}
