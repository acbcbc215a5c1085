public import CacheModel
import CacheClientCore
import CacheWire

extension CacheClient {
    /// The keys that nodes are asked for most: an approximation from the state of their eviction
    /// policies. Stale entries and known absences are left out.
    ///
    /// In a very large shard, a sample of about half a million entries is examined. Heat is
    /// comparable within a node, and roughly between nodes.
    ///
    /// - Parameters:
    ///   - count: how many keys, at least 1.
    ///   - node: only entries of this node; `nil` for the cluster, or one of its replicas.
    /// - Returns: the hottest first.
    public func hottest(
        _ count: Int, of target: Scope.Target = .namespace(.default), node: NodeID? = nil
    ) async throws(CacheError) -> [ScanEntry] {
        guard count > 0 else {
            throw CacheError(.invalidArgument, "the hottest are one key at least")
        }
        var found: [ScanEntry] = []
        for shard in try await scanned(node) {
            found += try await hottest(count, of: target, at: shard)
            Self.keepHottest(count, of: &found)
        }
        return found
    }

    private func hottest(
        _ count: Int, of target: Scope.Target, at shard: ShardAddress
    ) async throws(CacheError) -> [ScanEntry] {
        var request = ScanRequest(
            cursor: 0, limit: min(count, WireLimits.scanKeysMax), target: target,
            isCountOnly: false)
        request.isHottest = true
        var found: [ScanEntry] = []
        for _ in 0..<ClientLimits.hottestPagesMax {
            let page = try await scan(request, at: shard)
            found += page.lines.map { ScanEntry($0, on: shard.node) }
            Self.keepHottest(count, of: &found)
            request.cursor = page.nextCursor
            if request.cursor == 0 { break }
        }
        return found
    }

    private static func keepHottest(_ count: Int, of found: inout [ScanEntry]) {
        found.sort { $0.heat > $1.heat }
        found.removeLast(max(0, found.count - count))
    }
}

extension ScanEntry {
    init(_ line: ScanPage.Line, on node: NodeID) {
        key = line.key
        valueBytes = line.valueBytes
        timeToLive = line.ttlMilliseconds.map { .milliseconds(Int64(clamping: $0)) }
        self.node = node
        heat = Int(line.heat)
    }
}
