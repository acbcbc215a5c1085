import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

/// Names that a shell offers while a command line is typed: those of the cluster that the line
/// means. Where it does not answer at once, none.
enum ClusterNames {
    /// A person waits at the prompt.
    static let patience: Duration = .milliseconds(500)

    static let nodes = CompletionKind.custom { words, _, _ in
        await answers(to: words) { try await $0.cluster.topology().nodes.map(\.id.name) }
    }

    static let namespaces = CompletionKind.custom { words, _, _ in
        await answers(to: words) { client in
            try configured(await client.cluster.servedConfiguration().text)
        }
    }

    /// What `invalidate` takes after its first word.
    static let invalidated = CompletionKind.custom { words, _, _ in
        guard words.contains(InvalidationKind.namespace.rawValue) else { return [] }
        return await answers(to: words) { client in
            try configured(await client.cluster.servedConfiguration().text)
        }
    }

    private static func configured(_ text: String) throws -> [String] {
        let configuration = try ClusterConfiguration.parse(text, fileName: "the cluster's")
        let names = Set(configuration.namespaces.keys.map(\.name))
        return names.union([Namespace.default.name]).sorted()
    }

    /// The flags of a half-typed line that say which cluster is meant, with their values.
    static func clusterFlags(in words: [String]) -> [String] {
        let flags = ["--cluster", "--key"]
        var found: [String] = []
        for (index, word) in words.enumerated() {
            if flags.contains(word), index + 1 < words.count {
                found += [word, unquoted(words[index + 1])]
            }
            for flag in flags where word.hasPrefix(flag + "=") {
                found += [flag, unquoted(String(word.dropFirst(flag.count + 1)))]
            }
        }
        return found
    }

    private static func unquoted(_ word: String) -> String {
        String(word.filter { !"\"'".contains($0) })
    }

    /// Shells show no errors here, so there are none.
    private static func answers(
        to words: [String], _ ask: (CacheClient) async throws -> [String]
    ) async -> [String] {
        do {
            let options = try ClusterOptions.parse(clusterFlags(in: words))
            let known = RememberedNodes(
                of: try options.endpoints, environment: ProcessEnvironment.variables
            ).read()
            var configuration = CacheClientConfiguration(endpoints: try options.endpoints)
            configuration.keys = try options.keys()
            configuration.keptEndpoints = known.endpoints.filter {
                $0.contains("?key=") == (configuration.keys != nil)
            }
            configuration.keptCluster = known.cluster
            configuration.timeout = patience
            let client = try CacheClient(configuration)
            do {
                let names = try await ask(client)
                await client.close()
                return names
            } catch {
                await client.close()
                return []
            }
        } catch {
            return []
        }
    }
}
