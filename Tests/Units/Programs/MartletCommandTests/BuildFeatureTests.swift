import CacheConfiguration
import CacheModel
import CommandSurface
import Testing

@testable import martlet

@Suite struct BuildFeatureTests {
    private static let absent = BuildFeature(noun: "oven", isBuiltIn: false)
    private static let present = BuildFeature(noun: "oven", isBuiltIn: true)

    private static func configuration(_ namespaces: [String]) throws -> ClusterConfiguration {
        var configuration = ClusterConfiguration.standard(
            nodeCount: 1, shardCount: 1, topology: .sharded, port: 7_400)
        for name in namespaces {
            var policy = NamespacePolicy.standard
            policy.origin = OriginPolicy(url: "http://a.example/{key}")
            configuration.namespaces[try #require(Namespace(name))] = policy
        }
        return configuration
    }

    /// Other tests, too, are of a build with all of it.
    @Test func aPlainBuildHasEverything() {
        #expect(BuildFeature.hasWeb)
        #expect(MartletVersion.line == MartletVersion.text)
    }

    @Test func whatIsMissingIsRefusedWithWhatToDo() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try Self.absent.require(for: "--bake")
        }
        #expect(failure?.status == .wrongUsage)
        #expect(
            failure?.sentence == "--bake: this build of martlet has no oven: build it with the "
                + "trait Web, as a plain swift build does")
        try Self.present.require(for: "--bake")
    }

    @Test func anOriginNeedsTheClient() throws {
        let configuration = try Self.configuration(["users", "books"])
        let failure = #expect(throws: CommandFailure.self) {
            try Self.absent.requireForOrigins(of: configuration)
        }
        #expect(failure?.status == .unusableConfiguration)
        #expect(failure?.sentence.hasPrefix("the origin of namespace books: this build") == true)
        try Self.present.requireForOrigins(of: configuration)
        try Self.absent.requireForOrigins(of: try Self.configuration([]))
    }

    @Test func theDoctorTellsWhatTheBuildLacks() throws {
        func verdicts(_ namespaces: [String], _ client: BuildFeature) throws -> [String] {
            BuildCheck.judge(
                try Self.configuration(namespaces), gateway: Self.absent, httpClient: client
            ).map { "\($0.verdict): \($0.sentence)" }
        }
        #expect(try verdicts(["users"], Self.present) == ["hint: without oven"])
        #expect(try verdicts([], Self.absent) == ["hint: without oven, without oven"])
        #expect(try verdicts(["users"], Self.absent).last?.hasPrefix("wrong: ") == true)
        var onEtcd = try Self.configuration([])
        onEtcd.publisher.log = .etcd(EtcdSettings(endpoints: ["http://127.0.0.1:1"]))
        let lacking = BuildCheck.judge(onEtcd, gateway: Self.present, httpClient: Self.absent)
        #expect(lacking.map(\.verdict) == [.hint, .wrong])
        #expect(lacking.last?.sentence.contains("a log on etcd") == true)
        #expect(BuildCheck.judge(onEtcd, gateway: Self.present, httpClient: Self.present) == [])
        #expect(BuildCheck.judge(nil, gateway: Self.present, httpClient: Self.present) == [])
    }
}
