import CacheConfiguration
import CacheModel
import CacheVerification
import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct VerifyCommandTests {
    private func command(_ line: String) throws -> VerifyCommand {
        try Sample.command("verify \(line)", as: VerifyCommand.self)
    }

    private static func configuration(_ more: String = "") throws -> ClusterConfiguration {
        try ClusterConfiguration.parse("nodes: [{id: n1}]\n" + more, fileName: "cluster.yaml")
    }

    /// A cluster whose users have an origin.
    private static let users = """
        namespaces:
          users: {origin: {url: "http://users/{key}"}}
          plain: {ttl: 1m}
        """

    @Test func namespacesWithAnOriginAreHeldAgainstItOneKeyASecond() throws {
        let origins = try command("").plan(for: Self.configuration(Self.users)).origins
        let users = try #require(Namespace("users"))
        #expect(origins == OriginPlan(perSecond: 1, namespaces: [users]))
        let one = try command("--namespace plain").plan(for: Self.configuration(Self.users))
        #expect(!one.origins.isOn)
        let other = try command("--namespace users --origin 5/s")
            .plan(for: Self.configuration(Self.users))
        #expect(other.origins == OriginPlan(perSecond: 5, namespaces: [users]))
    }

    @Test func originsCanBeLeftInPeace() throws {
        let none = try command("--origin none").plan(for: Self.configuration(Self.users))
        #expect(!none.origins.isOn)
        #expect(try !command("").plan(for: Self.configuration()).origins.isOn)
    }

    @Test func withoutFlagsAHundredKeysASecondAreLookedAtThreeTimes() throws {
        let command = try command("")
        let plan = command.plan(for: try Self.configuration())
        #expect(plan.amount == .perSecond(100) && plan.namespace == nil)
        #expect(plan.delays == [.seconds(1), .seconds(10), .seconds(60)])
        #expect(plan.part == 1 && plan.parts == 1 && plan.seed == 0)
        #expect(plan.leaseBound == .milliseconds(3_030))
        #expect(command.span == nil && command.metrics == nil && !command.keepGoing)
    }

    @Test func aSampleIsARateOrAShare() throws {
        #expect(try command("--sample 50/s").sample == .perSecond(50))
        #expect(try command("--sample 50").sample == .perSecond(50))
        #expect(try command("--sample 10%").sample == .share(0.1))
    }

    @Test func theRestIsTakenAsItIsSaid() throws {
        let command = try command(
            "--for 10m --after 500ms,5s --part 2/4 --seed 7 --namespace images --keep-going")
        let plan = command.plan(for: try Self.configuration())
        #expect(command.span == .seconds(600) && command.keepGoing)
        #expect(plan.delays == [.milliseconds(500), .seconds(5)])
        #expect(plan.part == 2 && plan.parts == 4 && plan.seed == 7)
        #expect(plan.namespace?.name == "images")
    }

    @Test(arguments: [
        ("verify --sample 0", "give 1/s to 10000/s, such as 50/s, or a share, such as 1%"),
        ("verify --sample 0%", "a share is above 0% and up to 100%"),
        ("verify --sample 101%", "a share is above 0% and up to 100%"),
        ("verify --after 10s,1s", "each is longer than the one before it"),
        ("verify --after 1s,1s", "each is longer than the one before it"),
        ("verify --after 1s,2s,3s,4s,5s,6s,7s,8s,9s", "give one to 8 durations"),
        ("verify --part 3/2", "write 2/4 for the second of four"),
        ("verify --origin 0", "give 1/s to 50/s, such as 5/s, or none"),
        ("verify --origin 51/s", "give 1/s to 50/s"),
        ("verify --part 0/2", "write 2/4 for the second of four"),
        ("verify --part 1/10001", "at most 10000"),
        ("verify --namespace a/b", "a namespace has 1 to 64"),
    ])
    func wrongUsageIsOneLineAndEndsWith64(line: String, sentence: String) throws {
        let ending = try Sample.ending(line)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains(sentence), "said: \(ending.complaint)")
        #expect(!ending.complaint.contains("\n"))
    }

    @Test func anUnwritableMetricsFileIsRefused() {
        #expect {
            _ = try MetricsFile(path: "/nowhere/at/all.prom")
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .refused
                && failure?.sentence.contains("/nowhere/at/all.prom cannot be written") == true
        }
    }

    /// A pipe stands for a device: run as root this would have taken one away from everybody.
    @Test func whatIsNoOrdinaryFileIsNotReplacedByOne() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        for (flag, make) in [
            ("--metrics", { _ = try MetricsFile(path: path) }),
            ("--ready-file", { _ = try ReplacedFile(path, flag: "--ready-file") }),
        ] as [(String, () throws -> Void)] {
            let failure = #expect(throws: CommandFailure.self) { try make() }
            #expect(failure?.status == .wrongUsage)
            #expect(failure?.sentence.hasPrefix("\(flag): \(path) is no ordinary file") == true)
        }
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO, "it is there still")
    }
}
