import CacheConfiguration
import CacheModel
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
