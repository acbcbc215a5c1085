public import CacheModel
import CacheWire

/// The keys that a scope covers, shard by shard, a page at a time.
///
/// Concurrent stores and removals may or may not be seen. Each iteration scans anew.
public struct ScanSequence: AsyncSequence, Sendable {
    public typealias Element = ScanEntry
    public typealias Failure = CacheError

    let cluster: CacheCluster
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

        private mutating func turnPage() async throws(CacheError) -> Bool {
            if shards == nil { shards = try await sequence.cluster.scanned(sequence.node) }
            guard let shard = shards?.first else { return false }
            let request = ScanRequest(
                cursor: cursor, limit: WireLimits.scanKeysMax,
                target: sequence.pattern?.narrowing(sequence.target) ?? sequence.target,
                isCountOnly: false)
            let answer = try await sequence.cluster.scan(request, at: shard)
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

/// A key that a scan found.
public struct ScanEntry: Hashable, Sendable {
    public var key: CacheKey
    public var valueBytes: Int
    /// Time left; `nil` never expires.
    public var timeToLive: Duration?
    public var node: NodeID
    /// Approximate access frequency, relative to other keys of the same node; 0 except for the
    /// hottest keys.
    public var heat = 0
}
