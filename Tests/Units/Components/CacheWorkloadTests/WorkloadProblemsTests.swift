import CacheWorkload
import Testing

/// Workloads that cannot be run, and the sentences that say so.
@Suite struct WorkloadProblemsTests {
    private static func phase(_ name: String = "a") -> WorkloadPhase {
        var phase = WorkloadPhase(name: name)
        phase.duration = .seconds(1)
        return phase
    }

    private static func problems(_ change: (inout WorkloadPhase) -> Void) -> [String] {
        var phase = phase()
        change(&phase)
        return Workload(phases: [phase]).problems().map(\.description)
    }

    @Test func numbersOutOfRangeAreNamedWithTheRange() {
        #expect(
            Self.problems {
                $0.operationCount = 0
                $0.connectionCount = 5_000
                $0.inFlightMax = 2_000_000
                $0.batch = 1_025
                $0.keyCount = 1_000_000_001
                $0.loop = .open(perSecond: 0, .constant)
            } == [
                "operations: 0 is out of range; give 1 to 1000000000000",
                "connections: 5000 is out of range; give 1 to 4096",
                "in-flight: 2000000 is out of range; give 1 to 1048576",
                "batch: 1025 is out of range; give 1 to 1024",
                "keys: 1000000001 is out of range; give 1 to 1000000000",
                "rate: 0 is out of range; give 1 to 100000000",
            ])
        #expect(
            Self.problems { $0.keySize = .uniform(15...5_000) } == [
                "key-size: 15 is out of range; give 16 to 4096",
                "key-size: 5000 is out of range; give 16 to 4096",
            ])
        #expect(
            Self.problems { $0.duration = .zero } == [
                "duration: 0.0 seconds is out of range; give 0.1 seconds to 604800.0 seconds"
            ])
    }

    @Test func aPhaseWithoutAnEndIsRefused() {
        let sentence =
            "duration: nothing ends the phase; give a duration such as 10s, or operations"
        #expect(Self.problems { $0.duration = nil } == [sentence])
        #expect(Self.problems { ($0.duration, $0.operationCount) = (nil, 1) } == [])
        #expect(Self.problems { ($0.duration, $0.isFill) = (nil, true) } == [])
    }

    @Test(arguments: ["", "two words", "ä", "a/b", String(repeating: "a", count: 65)])
    func whatIsNoNameIsRefused(name: String) {
        #expect(
            Self.problems { $0.name = name } == [
                "name: it is no name; use 1 to 64 of a-z A-Z 0-9 . _ -"
            ])
    }

    @Test func settingsThatContradictEachOtherAreRefused() {
        #expect(
            Self.problems { ($0.batch, $0.inFlightMax) = (8, 4) } == [
                "batch: a message of 8 is never full with 4 in flight; lower it or raise in-flight"
            ])
        #expect(
            Self.problems { $0.connectionCount = 65 } == [
                "connections: 65 share 64 in flight; raise in-flight or give fewer connections"
            ])
        #expect(
            Self.problems { ($0.verifies, $0.valueSize) = (true, .uniform(15...100)) } == [
                "value-size: a value that is verified carries its key, version and checksum; "
                    + "give at least 16B"
            ])
    }

    @Test func aVerifiedMixRejectsInsertsUnlessItIsAFill() {
        #expect(
            Self.problems { ($0.verifies, $0.mix) = (true, YCSBWorkload.d.mix) } == [
                "mix: insert makes keys that the verifier does not know; use set instead, "
                    + "or do not verify"
            ])
        #expect(
            Self.problems { ($0.verifies, $0.mix, $0.isFill) = (true, YCSBWorkload.d.mix, true) }
                == [])
    }

    @Test func threadsWithoutWorkAreRefused() {
        var phase = Self.phase()
        phase.keyCount = 7
        phase.inFlightMax = 2
        let problems = Workload(phases: [phase]).problems(threadCount: 4, workerCount: 2)
        #expect(
            problems.map(\.description) == [
                "keys: each thread owns some, and there are 8 threads on all machines; "
                    + "give at least 8",
                "connections: each of 4 threads needs one; give at least 4, or fewer threads",
                "in-flight: each of 4 threads needs one; give at least 4, or fewer threads",
            ])
    }

    @Test func phasesThatDoNotGoTogetherAreRefused() {
        var second = Self.phase()
        second.verifies = true
        var third = Self.phase("c")
        third.verifies = true
        third.keyCount = 5
        third.keySize = .fixed(20)
        let problems = Workload(phases: [Self.phase(), second, third]).problems()
        #expect(problems.map(\.phase) == [1, 2, 2])
        #expect(
            problems.map(\.description) == [
                "name: phases[0] is called a, too; give another name",
                "keys: 5 where a has 1000000; phases that verify share their keys: "
                    + "give both the same",
                "key-size: it differs from that of a; phases that verify share their keys: "
                    + "give both the same",
            ])
    }

    @Test func aWorkloadWithoutAPhaseThatCountsIsRefused() {
        #expect(
            Workload(phases: []).problems().map(\.description) == [
                "phases: there is no phase; give at least one"
            ])
        let many = (0...100).map { Self.phase("p\($0)") }
        #expect(
            Workload(phases: many).problems().map(\.description) == [
                "phases: there are 101; give at most 100"
            ])
        var warmUp = Self.phase()
        warmUp.isWarmUp = true
        #expect(
            Workload(phases: [warmUp]).problems().map(\.description) == [
                "phases: all are warm-ups, so that nothing counts; give one that is none"
            ])
    }
}
