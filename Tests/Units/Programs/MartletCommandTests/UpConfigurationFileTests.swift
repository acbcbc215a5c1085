import CacheConfiguration
import CacheModel
import CommandSurface
import Foundation
import Testing
import TestSupport

@testable import martlet

@Suite struct UpConfigurationFileTests {
    private static func configuration(nodes: Int = 3) -> ClusterConfiguration {
        ClusterConfiguration.standard(nodeCount: nodes, shardCount: 1, topology: .sharded)
    }

    private func write(_ file: UpConfigurationFile, key: String = "") throws {
        var configuration = Self.configuration()
        let revision = configuration.revision
        configuration.publisher.endpoint += key
        try file.write(configuration, revision: revision)
    }

    private func edit(_ file: UpConfigurationFile) throws {
        let text = try String(contentsOf: file.file, encoding: .utf8)
        let edited = text.replacing("  ttl: none", with: "  ttl: 1h")
        #expect(edited != text)
        try Data(edited.utf8).write(to: file.file)
    }

    @Test func whatUpWroteIsWrittenAnew() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = UpConfigurationFile(in: directory.url)
        guard case .write = try file.plan(for: Self.configuration()) else {
            Issue.record("nothing is there")
            return
        }
        try write(file, key: "?key=\(String(repeating: "a", count: 64))")
        for nodes in [3, 5] {
            guard case .write = try file.plan(for: Self.configuration(nodes: nodes)) else {
                Issue.record("the file was not edited")
                return
            }
        }
    }

    @Test func anEditedFileIsKeptWhileTheFlagsStayTheSame() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = UpConfigurationFile(in: directory.url)
        try write(file)
        try edit(file)
        guard case .keep(let found) = try file.plan(for: Self.configuration()) else {
            Issue.record("it was edited")
            return
        }
        #expect(found.defaults.timeToLive == .seconds(3_600))
        let failure = #expect(throws: CommandFailure.self) {
            _ = try file.plan(for: Self.configuration(nodes: 5))
        }
        #expect(failure?.status == .unusableConfiguration)
        #expect(failure?.sentence.contains("--config \(file.file.path)") == true)
    }

    /// That release had a namespace with an origin ask it before it served anything in doubt.
    @Test func aFileThatAnEarlierReleaseWroteIsRewritten() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = UpConfigurationFile(in: directory.url)
        var wanted = Self.configuration()
        var policy = NamespacePolicy.standard
        policy.origin = OriginPolicy(url: "http://127.0.0.1:8000/{key}")
        policy.suspect = .serveThenRevalidate
        wanted.namespaces[.default] = policy
        wanted = try ClusterConfiguration.parse(wanted.yamlText(), fileName: "flags")
        #expect(wanted.namespaces[.default]?.suspect == .serveThenRevalidate)
        let cases: [(NamespacePolicy.Suspect, Bool)] = [
            (.revalidate, true), (.serveThenRevalidate, true), (.refuse, false), (.serve, false),
        ]
        for (suspect, isTheirs) in cases {
            var found = wanted
            found.namespaces[.default]?.suspect = suspect
            try Data(found.yamlText().utf8).write(to: file.file)
            let plan = try? file.plan(for: wanted)
            if case .write? = plan { #expect(isTheirs) } else { #expect(!isTheirs, "\(suspect)") }
        }
    }

    @Test func aFileOfAnotherOriginIsNotOverwritten() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = UpConfigurationFile(in: directory.url)
        // As an earlier release wrote it.
        try Data(Self.configuration().yamlText().utf8).write(to: file.file)
        guard case .write = try file.plan(for: Self.configuration()) else {
            Issue.record("it says the same")
            return
        }
        for text in [Self.configuration(nodes: 5).yamlText(), "nodes: [", ""] {
            try Data(text.utf8).write(to: file.file)
            #expect(throws: CommandFailure.self) {
                _ = try file.plan(for: Self.configuration())
            }
        }
    }
}
