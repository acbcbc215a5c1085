import CacheConfiguration
import CacheWorkload
import Testing

/// Files of phases: what they say, and the exact lines that refuse wrong ones.
@Suite struct WorkloadFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let lines: [String]
        var testDescription: String { lines.first ?? text }

        init(_ text: String, _ lines: String...) {
            self.text = text
            self.lines = lines
        }
    }

    private static func refusal(of text: String, by file: WorkloadFile = WorkloadFile()) -> [String]
    {
        do throws(ConfigurationErrors) {
            _ = try file.parse(Array(text.utf8), fileName: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func everySettingIsRead() throws {
        let workload = try WorkloadFile().parse(
            """
            version: 1
            seed: 7
            phases:
              - name: steady
                warm-up: false
                fill: false
                duration: 90s
                operations: 1000000
                connections: 4
                in-flight: 512
                batch: 16
                rate: 50000
                arrivals: poisson
                mix: get:0.9,set:0.1
                keys: 1000
                distribution: hotset:0.9:0.01
                key-size: 16B..32B
                value-size: 64B:0.7,1KiB:0.3
                verify: true
              - {name: fill, fill: true, warm-up: true}
            """, fileName: "f")
        #expect(workload.seed == 7)
        var steady = WorkloadPhase(name: "steady")
        steady.duration = .seconds(90)
        steady.operationCount = 1_000_000
        steady.connectionCount = 4
        steady.inFlightMax = 512
        steady.batch = 16
        steady.loop = .open(perSecond: 50_000, .poisson)
        steady.mix = OperationMix([.init(.get, weight: 0.9), .init(.set, weight: 0.1)])
        steady.keyCount = 1_000
        steady.distribution = .hotSet(requestShare: 0.9, keyShare: 0.01)
        steady.keySize = .uniform(16...32)
        steady.valueSize = SizeDistribution([
            .init(64...64, weight: 0.7), .init(1_024...1_024, weight: 0.3),
        ])
        steady.verifies = true
        var fill = WorkloadPhase(name: "fill")
        fill.isFill = true
        fill.isWarmUp = true
        #expect(workload.phases == [steady, fill])
    }

    @Test func aPhaseInheritsMissingSettingsFromDefaultsThenFlags() throws {
        var file = WorkloadFile()
        file.base.keyCount = 5
        file.base.batch = 2
        file.base.duration = .seconds(3)
        file.base.loop = .open(perSecond: 100, .poisson)
        file.baseSeed = 4
        let workload = try file.parse(
            """
            defaults: {keys: 50, operations: 9}
            phases:
              - {name: a}
              - {name: b, keys: 500, duration: none, rate: none}
              - {name: c, operations: none, rate: 7}
            """, fileName: "f")
        #expect(workload.seed == 4)
        #expect(workload.phases.map(\.keyCount) == [50, 500, 50])
        #expect(workload.phases.map(\.batch) == [2, 2, 2])
        #expect(workload.phases.map(\.duration) == [.seconds(3), nil, .seconds(3)])
        #expect(workload.phases.map(\.operationCount) == [9, 9, nil])
        #expect(
            workload.phases.map(\.loop) == [
                .open(perSecond: 100, .poisson), .closed, .open(perSecond: 7, .poisson),
            ])
    }

    @Test func aMixOfYCSBBringsItsDistributionUnlessOneStandsBeside() throws {
        let workload = try WorkloadFile().parse(
            """
            defaults: {duration: 1s, mix: ycsb-a, distribution: uniform}
            phases:
              - {name: inherited}
              - {name: own, mix: ycsb-d}
              - {name: beside, mix: ycsb-d, distribution: sequential}
              - {name: distribution, distribution: latest}
              - {name: mix, mix: get}
            """, fileName: "f")
        let uniform = KeyDistribution.uniform
        #expect(
            workload.phases.map(\.distribution) == [
                uniform, .latest(exponent: 0.99), .sequential, .latest(exponent: 0.99), uniform,
            ])
        #expect(workload.phases[3].mix == YCSBWorkload.a.mix)
    }

    @Test func aFillDoesNotMindWhatTheDefaultsSayOfOtherPhases() throws {
        let workload = try WorkloadFile().parse(
            """
            defaults: {duration: 1s, mix: get, verify: true, rate: 5}
            phases: [{name: fill, fill: true}, {name: steady}]
            """, fileName: "f")
        #expect(workload.phases.map(\.verifies) == [true, true])
        #expect(workload.phases.map(\.loop) == [.closed, .open(perSecond: 5, .constant)])
        #expect(workload.phases[0].effectiveMix == .only(.set))
    }

    @Test(arguments: [
        Case("", "f:1:1: the file says nothing; it must list at least one phase"),
        Case(
            "phases: 3\n",
            "f:1:9: phases: here must stand a list, each phase beginning with \"- name:\"; "
                + "found the value \"3\""),
        Case(
            "seed: 1\n",
            "f:1:1: phases: there is no phase; list at least one, for example "
                + "\"- {name: steady, duration: 10s}\""),
        Case(
            "phases: [3]\n",
            "f:1:10: phases[0]: here must stand settings, one \"name: value\" a line; "
                + "found the value \"3\""),
        Case(
            "version: 2\nphases: [{name: a, duration: 1s}]\n",
            "f:1:10: version: the format \"2\" is not known to this program; write 1, or use a "
                + "later program"),
        Case(
            "seed: -1\nphases: [{name: a, duration: 1s}]\n",
            "f:1:7: seed: \"-1\" is not a whole number; give 0 to 18446744073709551615"),
        Case(
            "phase: [{name: a}]\nphases: [{name: a, duration: 1s}]\n",
            "f:1:1: phase: there is no such setting; did you mean phases?"),
        Case(
            "phases:\n  - name: a\n    durations: 1s\n",
            "f:3:5: phases[0].durations: there is no such setting; did you mean duration?"),
        Case(
            "phases:\n  - {duration: 1s}\n",
            "f:2:5: phases[0].name: the phase has no name; give one, for example "
                + "\"name: steady\""),
        Case(
            "phases:\n  - {name: a b, duration: 1s}\n",
            "f:2:12: phases[0].name: \"a b\" is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -"),
    ])
    func whatIsNoFileOfPhasesIsRefusedWhereItGoesWrong(wrong: Case) {
        #expect(Self.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            "defaults: {duration: 1s, name: a, fill: true}\nphases: [{name: a}]\n",
            "f:1:32: defaults.name: this is one phase's own; give it under phases, where it holds",
            "f:1:41: defaults.fill: this is one phase's own; give it under phases, where it holds"),
        Case(
            "defaults: {duration: 1s, seed: 3}\nphases: [{name: a}]\n",
            "f:1:26: defaults.seed: there is no such setting; known here: name, warm-up, fill, "
                + "duration, operations, connections, in-flight, batch, rate, arrivals, mix, keys, "
                + "distribution, key-size, value-size, verify"),
        Case(
            "phases:\n  - {name: a, fill: true, mix: get, duration: 1s}\n",
            "f:2:32: phases[0].mix: a phase that fills stores every key once and ends; remove this "
                + "or fill",
            "f:2:47: phases[0].duration: a phase that fills stores every key once and ends; remove "
                + "this or fill"),
        Case(
            "phases:\n  - {name: a, duration: 1s, arrivals: poisson}\n",
            "f:2:39: phases[0].arrivals: requests without a rate wait for each other; give a rate "
                + "too, or remove this"),
        Case(
            "phases:\n  - {name: a, duration: 8d, rate: 0, verify: yes, keys: 1e6}\n",
            "f:2:25: phases[0].duration: \"8d\" is too long; give 100ms to 7d, or none",
            "f:2:35: phases[0].rate: 0 is too small; give 1 to 100000000, or none",
            "f:2:46: phases[0].verify: \"yes\" is neither true nor false; give one",
            "f:2:57: phases[0].keys: \"1e6\" is not a whole number; give 1 to 1000000000"),
        Case(
            "phases:\n  - name: a\n    duration: 1s\n    distribution: zip\n    mix: gett\n",
            "f:4:19: phases[0].distribution: \"zip\" is not a distribution; did you mean zipf?",
            "f:5:10: phases[0].mix: \"gett\" is not an operation; did you mean get?"),
        Case(
            "phases:\n  - {name: a, duration: 1s, key-size: 8B, value-size: 1GiB}\n",
            "f:2:39: phases[0].key-size: \"8B\" is too small; give 16B to 4KiB",
            "f:2:55: phases[0].value-size: \"1GiB\" is too large; give 0B to 512KiB"),
    ])
    func aWrongSettingIsRefusedWhereItStands(wrong: Case) {
        #expect(Self.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            "phases:\n  - name: a\n",
            "f:2:5: phases[0].duration: nothing ends the phase; give a duration such as 10s, or "
                + "operations"),
        Case(
            "defaults: {duration: 1s}\nphases:\n  - {name: a}\n  - {name: a}\n",
            "f:4:12: phases[1].name: phases[0] is called a, too; give another name"),
        Case(
            "defaults:\n  batch: 65\n  duration: 1s\nphases: [{name: a}]\n",
            "f:2:10: phases[0].batch: a message of 65 is never full with 64 in flight; lower it or "
                + "raise in-flight"),
        Case(
            "phases:\n  - {name: a, warm-up: true, duration: 1s}\n",
            "f:2:3: phases: all are warm-ups, so that nothing counts; give one that is none"),
        Case(
            "defaults: {duration: 1s, verify: true}\nphases:\n  - {name: a}\n"
                + "  - {name: b, keys: 5}\n",
            "f:4:21: phases[1].keys: 5 where a has 1000000; phases that verify share their keys: "
                + "give both the same"),
    ])
    func conflictingSettingsAreRefusedAtTheirPosition(wrong: Case) {
        #expect(Self.refusal(of: wrong.text) == wrong.lines)
    }

    @Test func threadsAndMachinesAreCounted() {
        var file = WorkloadFile()
        file.threadCount = 2
        file.workerCount = 3
        #expect(
            Self.refusal(of: "phases: [{name: a, duration: 1s, keys: 5}]\n", by: file) == [
                "f:1:10: phases[0].connections: each of 2 threads needs one; give at least 2, or "
                    + "fewer threads",
                "f:1:40: phases[0].keys: each thread owns some, and there are 6 threads on all "
                    + "machines; give at least 6",
            ])
    }

    @Test func moreThanAHundredPhasesAreRefused() {
        let phases = (0...100).map { "  - {name: p\($0), duration: 1s}\n" }.joined()
        #expect(
            Self.refusal(of: "phases:\n" + phases) == [
                "f:2:3: phases: a workload has at most 100 phases; found 101"
            ])
    }
}
