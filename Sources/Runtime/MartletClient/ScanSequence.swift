public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

/// The keys that a scope covers, shard by shard, a page at a time.
///
/// Concurrent stores and removals may or may not be seen. Each iteration scans anew.
public struct ScanSequence: AsyncSequence, Sendable {
    public typealias Element = ScanEntry
    public typealias Failure = CacheError

    let client: CacheClient
    let target: Scope.Target
    let pattern: KeyGlob?
    let node: NodeID?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ScanSequence
        /// Shards still to scan; `nil` before the first request.
        private var shards: [ShardAddress]?
        private var cursor: UInt64 = 0
        private var page: [ScanEntry] = []
        private var pageCursor = 0

        init(_ sequence: ScanSequence) { self.sequence = sequence }

        /// The next key.
        ///
        /// - Throws: ``CacheError`` if a shard cannot be asked; the scan is over then.
        public mutating func next() async throws(CacheError) -> ScanEntry? {
            while pageCursor == page.count {
                guard try await turnPage() else { return nil }
            }
            pageCursor += 1
            return page[pageCursor - 1]
        }

        /// - Returns: whether there was another page.
        private mutating func turnPage() async throws(CacheError) -> Bool {
            if shards == nil { shards = try await sequence.client.scanned(sequence.node) }
            guard let shard = shards?.first else { return false }
            let request = ScanRequest(
                cursor: cursor, limit: WireLimits.scanKeysMax,
                target: sequence.pattern?.narrowing(sequence.target) ?? sequence.target,
                isCountOnly: false)
            let answer = try await sequence.client.scan(request, at: shard)
            page = answer.lines.compactMap { line in
                guard sequence.pattern?.matches(line.key) ?? true else { return nil }
                return ScanEntry(line, on: shard.node)
            }
            pageCursor = 0
            cursor = answer.nextCursor
            if cursor == 0 { shards?.removeFirst() }
            return true
        }
    }
}

extension CacheClient {
    /// The keys that `target` covers, of one node or of the whole cluster. In a replicated
    /// topology, `nil` scans one replica.
    ///
    /// - Parameter pattern: only keys that match it. The client matches: all keys that begin as the
    ///   pattern does are sent to it.
    public func scan(
        _ target: Scope.Target, matching pattern: KeyGlob? = nil, node: NodeID? = nil
    ) -> ScanSequence {
        ScanSequence(client: self, target: target, pattern: pattern, node: node)
    }

    /// The shards to scan.
    func scanned(_ node: NodeID?) async throws(CacheError) -> [ShardAddress] {
        let deadline = try self.deadline(nil)
        let topology = try await loop.topology(deadline: deadline)
        guard node == nil, topology.kind == .replicated else {
            return try await shards(of: node, deadline: deadline)
        }
        let replica = configuration.near ?? topology.nodes.first { $0.state == .live }?.id
        return try await shards(of: replica ?? topology.nodes.first?.id, deadline: deadline)
    }

    /// One page.
    ///
    /// - Throws: ``CacheError``; ``CacheError/Code/protocolViolation`` also for a page with a
    ///   cursor that does not advance: following it would scan for ever.
    func scan(
        _ request: ScanRequest, at shard: ShardAddress
    ) async throws(CacheError) -> ScanPage {
        var writer = ByteWriter()
        request.encode(requestID: 0, into: &writer)
        let frame = try await loop.ask(
            AdminRequest(
                .endpoint(shard.endpoint), message: writer.array,
                schedule: RetrySchedule(.read, deadline: deadline(nil), seed: request.cursor)))
        let page = try Self.decode(frame, .scanPage) { message throws(WireRefusal) in
            try ScanPage(decoding: message)
        }
        guard page.nextCursor == 0 || page.nextCursor > request.cursor else {
            throw CacheError(
                .protocolViolation,
                "node \(shard.node) answers a scan with a page that does not lead on; see whether "
                    + "it is a node of yours")
        }
        return page
    }
}
