import CacheConfiguration
import CacheModel
import Foundation
import Testing
import TestSupport

/// docs/configuration.md is held against the program.
@Suite struct ConfigurationReferenceTests {
    private static func page() throws -> String { try Repository.text(of: "docs/configuration.md") }

    /// What stands between ```yaml and ``` in `page`, in order.
    private static func examples(_ page: String) -> [String] {
        page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test func everyExampleOfTheReferenceIsTaken() throws {
        let examples = Self.examples(try Self.page())
        #expect(examples.count == 4)
        for example in examples {
            #expect(throws: Never.self) { try ConfigurationSamples.parsed(example) }
        }
    }

    @Test func theReferenceShowsWhatHoldsWithoutAFile() throws {
        let standard = ClusterConfiguration.standard(
            nodeCount: 3, shardCount: 1, topology: .sharded)
        #expect(Self.examples(try Self.page()).last == standard.yamlText())
    }

    @Test func theReferenceExplainsEveryKey() throws {
        let page = try Self.page()
        for key in ConfigurationKeys.all + ConfigurationKeys.ofSeveral {
            #expect(page.contains("| `\(key)` |") || page.contains(".\(key)` |"), "\(key)")
        }
    }

    @Test func everyRefusalTheReferenceShowsIsWhatTheProgramSays() throws {
        let page = try Self.page()
        let wrong = "topology: shared\nnodes:\n  - id: n1\n    shard: 2\n    memory: 64\n"
        let refusal = ConfigurationSamples.refusal(of: wrong).map {
            "cluster.yaml" + $0.dropFirst()
        }
        #expect(refusal.count == 3)
        #expect(page.contains(refusal.map { "    \($0)\n" }.joined()))
    }
}
