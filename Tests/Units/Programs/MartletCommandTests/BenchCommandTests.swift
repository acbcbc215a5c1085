import ArgumentParser
import CacheWorkload
import CommandSurface
import Foundation
import LoadTest
import Testing
import TestSupport

@testable import martlet

@Suite struct BenchCommandTests {
    private static func plan(_ line: String) throws -> BenchPlan {
        try BenchPlan(Sample.command("bench \(line)", as: BenchCommand.self))
    }

    /// The plan beside a file of phases.
    private static func plan(_ line: String, phases: String) throws -> BenchPlan {
        try withTemporaryFile(Data(phases.utf8)) { try plan("--phases \($0) \(line)") }
    }

    // MARK: What goes with what

    /// Flags that a replay looks at.
    private static let goesWithTrace: Set<String> = [
        "--trace", "--trace-speed", "--trace-time", "--concurrency", "--report", "--cluster",
        "--key", "--timeout", "--json", "--quiet", "--help",
    ]
    /// All others, as they would be given.
    private static let strangersToTrace: [String: String] = [
        "--keys": "5", "--key-size": "16B", "--value": "1B", "--distribution": "uniform",
        "--read": "1", "--mix": "get", "--workload": "ycsb-a", "--seed": "1", "--duration": "1s",
        "--requests": "1", "--warm-up": "1s", "--batch": "2", "--threads": "1",
        "--connections": "1", "--rate": "1", "--arrivals": "poisson --rate 1",
        "--invalidations": "1", "--load": "", "--phases": "f", "--verify": "", "--echo": "",
        "--echo-first": "", "--start-at": "+1s", "--worker": "1/1", "--spin": "100us",
    ]

    @Test func aReplayRefusesEveryFlagThatItDoesNotLookAt() throws {
        let help = BenchCommand.helpMessage(columns: 500)
        let flags = help.matches(of: /(?m)^  (?:-., )?(--[a-z-]+)/).map { String($0.output.1) }
        #expect(flags.count > 25)
        #expect(Set(flags) == Self.goesWithTrace.union(Self.strangersToTrace.keys))
        for (flag, value) in Self.strangersToTrace {
            let ending = try Sample.ending("bench --trace t \(flag) \(value)")
            #expect(ending.status == 64, "\(flag)")
            #expect(ending.complaint.contains("--trace replays what was recorded"), "\(flag)")
            let names = flag == "--arrivals" ? ["--rate"] : [flag]
            #expect(names.allSatisfy(ending.complaint.contains), "\(ending.complaint)")
        }
        let command: BenchCommand = try Sample.command(
            "bench --trace t --trace-speed 2x --trace-time ms --concurrency 3 --report r --json")
        #expect(command.strangersToTrace.isEmpty)
    }

    @Test(arguments: [
        ("bench --phases f --load", "--load"), ("bench --phases f --warm-up 1s", "--warm-up"),
        ("bench --echo --echo-first", "--echo-first"), ("bench --echo --verify", "--echo"),
        ("bench --trace-time ms", "--trace"), ("bench --trace t --trace-time h", "ms"),
        ("bench --worker 0/2", "write 2/4 for the second of four"),
    ])
    func whatDoesNotGoTogetherIsOneLine(line: String, expected: String) throws {
        let ending = try Sample.ending(line)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains(expected) && !ending.complaint.contains("\n"))
    }

    @Test(arguments: [
        ("--verify --mix get:1,insert:1", "--mix: "),
        ("--verify --workload ycsb-d", "--workload: "), ("--connections 1 --threads 2", "--conn"),
        ("--echo-first --start-at +2s", "--start-at: "),
    ])
    func aPlanThatCannotBeIsNamedByItsFlag(line: String, expected: String) {
        #expect {
            _ = try Self.plan(line)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .wrongUsage && failure?.sentence.hasPrefix(expected) == true
        }
    }

    // MARK: Plans

    @Test func aFilesPhasesEndAsTheFileSays() throws {
        let yaml = "phases: [{name: a, operations: 1000000000}]"
        let phase = try #require(try Self.plan("", phases: yaml).plan.workload.phases.first)
        #expect(phase.duration == nil && phase.operationCount == 1_000_000_000)
        let other = try #require(
            try Self.plan("--duration 3s", phases: yaml).plan.workload.phases.first)
        #expect(other.duration == .seconds(3))
        let alone = try #require(try Self.plan("").plan.workload.phases.first)
        #expect(alone.duration == .seconds(10))
        #expect(try Self.plan("--requests 5").plan.workload.phases[0].duration == nil)
    }

    @Test func whatIsLoadedFirstIsNotMeasured() throws {
        let phases = try Self.plan("--load --warm-up 1s").plan.workload.phases
        #expect(phases.map(\.name) == ["fill", "warm-up", "steady"])
        #expect(phases.map(\.isWarmUp) == [true, true, false])
    }

    @Test func theEchoIsAskedAsTheFirstPhaseThatCounts() throws {
        let plan = try Self.plan(
            "--echo-first --load --verify --rate 5 --threads 2 --batch 4 --seed 9 "
                + "--invalidations 3 --mix get:0.5,invalidate:0.5 --start-at +10s")
        let echo = try #require(plan.echo)
        var phase = plan.plan.workload.phases[1]
        #expect(phase.verifies && plan.plan.startAt != nil && !plan.plan.isEcho)
        phase.name = "echo"
        phase.verifies = false
        phase.loop = .closed
        phase.duration = .seconds(3)
        #expect(echo.workload == Workload(phases: [phase], seed: 9))
        #expect(echo.isEcho && echo.threadCount == 2)
        #expect(echo.startAt == nil && echo.invalidationsPerSecond == nil)
        #expect(try Self.plan("").echo == nil)
    }

    @Test func aSpinIsOfAllPhasesAndToldWithTheFigures() throws {
        let plan = try Self.plan("--spin 150us --load").plan
        #expect(plan.spin == .microseconds(150))
        #expect(plan.asked.contains { $0.value == "150us" })
        #expect(try Self.plan("").plan.spin == .zero)
        #expect(try Sample.ending("bench --spin 11ms").status == 64)
    }

    @Test func oneOfAThingIsNotMany() {
        var phase = WorkloadPhase(name: "a")
        phase.keyCount = 1
        phase.operationCount = 1
        let text = BenchSubject.text(phase)
        #expect(text.contains(", 1 key, ") && text.contains(", 1 connection to a shard, "))
        #expect(text.hasSuffix("at most 1 operation"))
        phase.connectionCount = 2
        #expect(BenchSubject.text(phase).contains("2 connections to a shard"))
    }

    // MARK: The page

    @Test func everySettingOfAPhaseIsSaidWithItsFlag() throws {
        let page = try Repository.text(of: "docs/load-testing.md")
        let rows = page.matches(of: /(?m)^\| `([a-z-]+)` \| (?:`(--[a-z-]+)`|–) \|/)
        let flags = Dictionary(
            uniqueKeysWithValues: rows.map { (String($0.output.1), $0.output.2.map(String.init)) })
        let help = BenchCommand.helpMessage(columns: 500)
        for setting in WorkloadSetting.allCases where ![.phases, .seed].contains(setting) {
            let flag = try #require(flags[setting.rawValue], "\(setting.rawValue)")
            if let flag { #expect(help.contains("\n  \(flag) "), "\(flag)") }
        }
    }
}
