#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The nodes of the clusters this user spoke to last, kept in a file of the user's cache
/// directory: with them a new process finds a cluster whose publisher is down.
///
/// It is a hint and nothing more. Whatever cannot be read or written is as if it were not there,
/// and a node that answers is asked for the topology like any other.
struct RememberedNodes {
    private static let endpointsMax = 64
    private static let bytesMax = 64 << 10

    private let file: URL?

    /// - Parameter endpoints: those that the user named, by which the nodes are found again.
    init(of endpoints: [String], environment: [String: String]) {
        let base =
            environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { "\($0)/.cache" }
        let name = endpoints.joined(separator: ",").utf8
            .map { byte in
                let isPlain = byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: ".")
                return isPlain ? String(UnicodeScalar(byte)) : "_"
            }.joined()
        file = base.map {
            URL(fileURLWithPath: $0).appendingPathComponent("martlet/nodes-\(name.prefix(180))")
        }
    }

    /// The remembered endpoints.
    func read() -> [String] {
        guard let file, let data = FileManager.default.contents(atPath: file.path),
            data.count <= Self.bytesMax
        else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
            .prefix(Self.endpointsMax).map(String.init)
    }

    /// Keeps the endpoints of a topology's shards, if they are others than those kept. Those not
    /// known yet are empty and passed over.
    func write(_ shards: [String]) {
        let endpoints = shards.filter { !$0.isEmpty }.prefix(Self.endpointsMax)
        guard let file, !endpoints.isEmpty, Array(endpoints) != read() else { return }
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(endpoints.joined(separator: "\n").utf8).write(to: file, options: .atomic)
        } catch {
            // A hint that cannot be kept costs the next process a hint.
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
    fileprivate var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
