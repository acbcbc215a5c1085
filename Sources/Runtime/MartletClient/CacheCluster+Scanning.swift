public import CacheModel
import CacheClientCore
import CacheWire

extension CacheCluster {
    /// The keys that `target` covers, of one node or of the whole cluster. In a replicated
    /// topology, `nil` scans one replica.
    ///
    /// - Parameter pattern: only keys that match it. The client matches: all keys that begin as the
    ///   pattern does are sent to it.
    public func scan(
        _ target: Scope.Target, matching pattern: KeyGlob? = nil, node: NodeID? = nil
    ) -> ScanSequence {
        ScanSequence(cluster: self, target: target, pattern: pattern, node: node)
    }

    func scanned(_ node: NodeID?) async throws(CacheError) -> [ShardAddress] {
        let deadline = try loop.deadline(nil)
        let topology = try await loop.topology(deadline: deadline)
        guard node == nil, topology.kind == .replicated else {
            return try await shards(of: node, deadline: deadline)
        }
        let replica = client.configuration.near ?? topology.nodes.first { $0.state == .live }?.id
        return try await shards(of: replica ?? topology.nodes.first?.id, deadline: deadline)
    }

    /// One page.
    ///
    /// - Throws: ``CacheError``; ``CacheError/Code/protocolViolation`` also for a page with a
    ///   cursor that does not advance: following it would scan for ever.
    func scan(
        _ request: ScanRequest, at shard: ShardAddress
    ) async throws(CacheError) -> ScanPage {
        let question = AdminRequest(
            .endpoint(shard.endpoint),
            .init(.read, deadline: try loop.deadline(nil), seed: request.cursor)
        ) { request.encode(requestID: 0, into: &$0) }
        let page = try await loop.ask(question, .scanPage, ScanPage.init(decoding:))
        guard page.nextCursor == 0 || page.nextCursor > request.cursor else {
            throw CacheError(
                .protocolViolation,
                "node \(shard.node) answers a scan with a page that does not lead on; see whether "
                    + "it is a node of yours")
        }
        return page
    }

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
