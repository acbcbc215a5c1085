import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient
import EssentialFoundation

/// The nodes of the clusters this user spoke to last, kept in a file of the user's cache
/// directory: with them a new process finds a cluster while its publisher is down.
///
/// It is a hint and nothing more. Whatever cannot be read or written is as if it were not there,
/// and a node that answers is asked for the topology like any other. Another cluster may have its
/// place by then: so the file begins with the identity of the cluster, in 16 hexadecimal digits, or
/// `-` where that was not told. An endpoint a line follows.
struct RememberedNodes {
    struct Kept: Equatable {
        var cluster = ClusterID.none
        var endpoints: [String] = []
        /// Lines that are no endpoints.
        var damagedCount = 0
    }

    private static let endpointsMax = 64
    private static let bytesMax = 64 << 10
    private static let noCluster = "-"

    private let file: URL?

    /// - Parameter endpoints: those that the user named, by which the nodes are found again.
    init(of endpoints: [String], environment: [String: String]) {
        let base =
            environment.text(of: "XDG_CACHE_HOME")
            ?? environment["HOME"].map { "\($0)/.cache" }
        let name = endpoints.joined(separator: ",").utf8
            .map { byte in
                let letter = Character(UnicodeScalar(byte))
                let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber)
                return isPlain || letter == "." ? String(letter) : "_"
            }.joined()
        // Earlier releases have files called nodes-…, of endpoints alone.
        file = base.map {
            URL(fileURLWithPath: $0).appendingPathComponent("martlet/known-\(name.prefix(180))")
        }
    }

    /// What is remembered; nothing where the file is not there, or not one of these.
    func read() -> Kept {
        guard let file, let data = FileManager.default.contents(atPath: file.path),
            data.count <= Self.bytesMax
        else { return Kept() }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        guard let first = lines.first else { return Kept() }
        guard let cluster = first == Self.noCluster ? ClusterID.none : ClusterID(text: first)
        else { return Kept() }
        let kept = lines.dropFirst().prefix(Self.endpointsMax).map(String.init)
        let endpoints = kept.filter(Self.isEndpoint)
        return Kept(
            cluster: cluster, endpoints: endpoints, damagedCount: kept.count - endpoints.count)
    }

    private static func isEndpoint(_ line: String) -> Bool {
        do throws(TextProblem) {
            _ = try EndpointText.parse(line)
            return true
        } catch {
            return false
        }
    }

    /// What is to be said of a file with damaged lines.
    func complaint(of kept: Kept) -> String? {
        guard let file, kept.damagedCount > 0 else { return nil }
        let lines =
            kept.damagedCount == 1 ? "a line that is" : "\(kept.damagedCount) lines that are"
        return "\(file.path) has \(lines) no endpoint, and is read without; it is written again "
            + "once the cluster has answered"
    }

    /// Keeps the endpoints of a topology's shards, if they are others than those kept. Those not
    /// known yet are empty and passed over.
    func write(_ shards: [String], of cluster: ClusterID) {
        let endpoints = shards.filter { !$0.isEmpty }.prefix(Self.endpointsMax)
        let kept = Kept(cluster: cluster, endpoints: Array(endpoints))
        guard let file, !endpoints.isEmpty, kept != read() else { return }
        let lines = [cluster == .none ? Self.noCluster : cluster.description] + endpoints
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(lines.joined(separator: "\n").utf8).write(to: file, options: .atomic)
        } catch {
            // A hint that cannot be kept costs the next process a hint.
        }
    }
}

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
