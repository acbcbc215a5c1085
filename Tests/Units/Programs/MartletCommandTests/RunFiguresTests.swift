import ByteCoding
import CommandSurface
import Foundation
import Histogram
import LoadTest
import Testing

@testable import martlet

@Suite struct RunFiguresTests {
    /// Two seconds of gets and one invalidation; of 20 gets only the median is known.
    static func small() -> RunFigures {
        var run = RunFigures(title: "small", version: "0.1.0", subject: "20 keys, 8 in flight")
        run.asked = [RunFigures.Fact("keys", "20")]
        var phase = PhaseFigures(name: "bench")
        phase.seconds = 2
        phase.asked = "closed loop"
        var gets = OperationFigures(kind: "get")
        gets.operationCount = 20
        gets.keyCount = 20
        gets.hitCount = 14
        gets.staleCount = 1
        gets.missCount = 4
        gets.errors = ["busy": 1]
        var moment = Moment()
        moment.seconds = 0.75
        for index in 1...20 {
            gets.latency.note(nanoseconds: UInt64(index) * 10_000)
            moment.latency.note(nanoseconds: UInt64(index) * 10_000)
        }
        moment.keyCount = 20
        var invalidations = OperationFigures(kind: "invalidate", isInvalidation: true)
        invalidations.operationCount = 1
        invalidations.keyCount = 1
        invalidations.latency.note(nanoseconds: 1_500_000)
        moment.invalidationLatency.note(nanoseconds: 1_500_000)
        phase.operations = [gets, invalidations]
        phase.series.add(moment, at: 1)
        phase.generator.processorSeconds = 0.5
        phase.generator.threadSeconds = 2
        run.phases = [phase]
        return run
    }

    private static func text(_ run: RunFigures) -> String {
        var output = CommandOutput()
        run.write(to: &output, isColoured: false)
        return output.text
    }

    private static func object(_ run: RunFigures) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(run.json.line.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func theTableShowsWhatIsKnownAndNothingElse() {
        #expect(
            Self.text(Self.small()) == """
                20 keys, 8 in flight
                note  1 key has no useful answer (4.76 %): it is neither in the rate nor in the \
                latencies.

                bench: closed loop
                  10 keys/s, hit ratio 78.95 % (14 hits, 1 stale, 4 misses), 1 error, in 2 s

                              keys  keys/s  hit ratio  errors     p50      max
                  get           20    9.50    78.95 %       1  100 µs   200 µs
                  invalidate     1    0.50          –       0       –  1.50 ms

                  errors: 1 busy
                  generator: 23.8 ms of processor time for each key; 25.00 % of its threads' time

                """)
    }

    @Test func theJSONKeepsTheNamesThatScriptsKnow() throws {
        let line = Self.small().json.line
        #expect(
            line.hasPrefix(
                """
                {"operations":21,"operations_per_second":10.5,"keys_per_second":10.0,"hits":14,\
                "misses":4,"errors":1,"latency_us":{"p50":100.031,"p90":null,"p99":null,\
                "p999":null,"max":200.0},"invalidation_ms":{"p50":null,"p99":null,"max":1.5},\
                "violations":null,"keys":21,"stale":1,"seconds":2.0,
                """), "\(line)")
    }

    @Test func whatIsWrittenIsRead() throws {
        var run = Self.small()
        run.verification = VerificationFigures()
        run.verification?.violationCount = 2
        run.verification?.endedTheRun = true
        run.verification?.freshCount = 11
        run.verification?.promisedCount = 7
        run.verification?.staleCount = 5
        run.verification?.unfencedCount = 3
        run.verification?.missCount = 2
        run.verification?.fillsRefused = 1
        run.failure = "every endpoint is gone"
        var violation = ViolationFigures(key: [0x6B, 0xFF, 0x22], sentence: "too \"old\"")
        violation.history = ["changed", "answered\n"]
        violation.atSeconds = 0.1
        run.verification?.violations = [violation]
        var schedule = ScheduleFigures()
        schedule.ratePerSecond = 12.5
        schedule.dueCount = 25
        schedule.notSentCount = 5
        schedule.lateness.note(nanoseconds: 17)
        run.phases[0].schedule = schedule
        run.phases[0].generator.limit = .schedule
        var worker = WorkerFigures(machine: MachineFacts(), threadCount: 2, connectionCount: 4)
        worker.part = WorkerFigures.Part(number: 2, of: 3)
        worker.machine.hostName = "loader"
        worker.machine.memoryBytes = 8 << 30
        worker.startedAt = 1_795_424_000_123
        worker.askedNodes = WorkerFigures.AskedNodes(2, of: 3)
        run.workers = [worker]
        run.echoKeysPerSecond = 0.1
        run.wasCutShort = true

        let read = try RunFigures.read(Array(run.json.line.utf8))
        #expect(read == run)
        #expect(read.json.line == run.json.line)
    }

    @Test func anEmptyRunHasNullsAndIsReadAgain() throws {
        let run = RunFigures(title: "", version: "", subject: "")
        let object = try Self.object(run)
        for name in ["latency_us", "invalidation_ms", "violations", "keys_per_second", "hit_ratio"]
        {
            #expect(object[name] is NSNull, "\(name)")
        }
        #expect(try RunFigures.read(Array(run.json.line.utf8)) == run)
        #expect(Self.text(run) == "\nnote  Nothing was answered in a measured phase.\n")
    }

    @Test func joiningWhatWasReadIsMergingWhatWasMeasured() throws {
        var one = Self.small()
        var other = Self.small()
        for index in 0..<2_000 {
            other.phases[0].operations[0].latency.note(nanoseconds: UInt64(index) * 3_001)
        }
        for (number, run) in [0: one, 1: other] {
            var worker = WorkerFigures(machine: MachineFacts(), threadCount: 1, connectionCount: 1)
            worker.part = WorkerFigures.Part(number: number + 1, of: 2)
            var changed = run
            changed.workers = [worker]
            if number == 0 { one = changed } else { other = changed }
        }
        let read = try [other, one].map { try RunFigures.read(Array($0.json.line.utf8)) }
        let joined = try RunFigures.joined(read)
        var merged = one.phases[0]
        merged.merge(other.phases[0])
        #expect(joined.phases == [merged])
        #expect(joined.workers.compactMap(\.part?.number) == [1, 2])
        #expect(joined.total.latency.totalCount == 2_040)
    }

    /// Whatever somebody made of a report, reading it ends with figures or with a sentence.
    @Test(arguments: [
        "", "{}", "[1]", #"{"report_format":1}"#, #""seconds":2.0"#, #""keys":20"#,
        #""moment_seconds":1.0"#, #""report_format":1"#, #""hdr":"#, #""max_ns":200000"#,
    ])
    func whatIsNoReportIsRefused(part: String) {
        let line = Self.small().json.line
        let broken = [
            part, line.replacingOccurrences(of: part, with: part + "9e99"),
            line.replacingOccurrences(
                of: part, with: part.replacingOccurrences(of: ":", with: ":-")),
        ]
        for text in broken where text != line {
            #expect(throws: ReportFault.self) { try RunFigures.read(Array(text.utf8)) }
        }
    }

    /// Figures that no load test has would trap whoever adds them up or draws them.
    @Test(arguments: [
        (#""keys":20"#, #""keys":18446744073709551615"#), (#""seconds":0.75"#, #""seconds":1e300"#),
        (#""offset_seconds":0.0"#, #""offset_seconds":2e9"#),
        (#""moment_seconds":1.0"#, #""moment_seconds":0"#),
        (#""part":2"#, #""part":9"#), (#""count":20"#, #""count":21"#),
    ])
    func aFigureBeyondAllMeasureIsRefused(member: String, instead: String) {
        var run = Self.small()
        var worker = WorkerFigures(machine: MachineFacts(), threadCount: 1, connectionCount: 1)
        worker.part = WorkerFigures.Part(number: 2, of: 3)
        run.workers = [worker]
        let line = run.json.line
        #expect(line.contains(member))
        let changed = line.replacingOccurrences(of: member, with: instead)
        #expect(throws: ReportFault.self) { try RunFigures.read(Array(changed.utf8)) }
    }

    @Test func whatCouldSteerATerminalIsHarmless() {
        var run = Self.small()
        run.subject = "a\u{1B}[2Jb"
        run.phases[0].name = "c\u{7}\nd"
        run.verification = VerificationFigures()
        var violation = ViolationFigures(key: [0x1B, 0xFF], sentence: "e\u{1B}")
        violation.history = ["f\u{1B}"]
        run.verification?.violations = [violation]
        let text = Self.text(run)
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
        #expect(text.contains(#"key \x1b\xff"#))
    }
}
