public import CacheModel
import CacheClientCore
import CacheWire

extension CacheCluster {
    /// How many entries the scopes cover on each node, and their bytes. One invalidation of all
    /// scopes would hide them. An entry that several scopes cover is counted for each.
    ///
    /// All shards are asked at once, with one question each, and answer from counters. Entries that
    /// have expired, or that another invalidation hides, are counted until they are removed.
    /// Prefixes have no counter: their keys are scanned, page by page.
    ///
    /// - Parameter scopes: at most as many as one invalidation may have.
    /// - Throws: ``CacheError`` if a shard cannot be asked: a count without it would be too low.
    public func count(_ scopes: [Scope]) async throws(CacheError) -> [NodeCount] {
        guard scopes.count <= InvalidationRecord.scopesMax else {
            throw CacheError(
                .invalidArgument,
                "at most \(InvalidationRecord.scopesMax) scopes are counted at once")
        }
        let shards = try await shards(of: nil, deadline: loop.deadline(nil))
        return try await gathered(shards) { shard throws(CacheError) in
            try await self.count(scopes, at: shard)
        }
    }

    /// Asks all shards at once.
    ///
    /// - Returns: a count for each node.
    private func gathered(
        _ shards: [ShardAddress],
        _ count: @escaping @Sendable (ShardAddress) async throws(CacheError) -> NodeCount
    ) async throws(CacheError) -> [NodeCount] {
        let outcomes: [Int: Result<NodeCount, CacheError>] = await withTaskGroup(
            of: (Int, Result<NodeCount, CacheError>).self
        ) { group in
            for (index, shard) in shards.enumerated() {
                group.addTask {
                    (
                        index,
                        await Result.awaiting { () async throws(CacheError) in
                            try await count(shard)
                        }
                    )
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var counts: [NodeCount] = []
        for index in shards.indices {
            guard let count = try outcomes[index]?.get() else { continue }
            if counts.last?.node == count.node {
                counts[counts.count - 1].add(count)
            } else {
                counts.append(count)
            }
        }
        return counts
    }

    /// As ``count(_:)``, from counters alone.
    ///
    /// - Returns: `nil` if the counters are not available within `timeout`: a scope is a prefix, a
    ///   shard does not answer or has a release without counters, or this client's key has no
    ///   permission.
    package func countCheaply(_ scopes: [Scope], timeout: Duration) async -> [NodeCount]? {
        guard !scopes.contains(where: \.isPrefix) else { return nil }
        do throws(CacheError) {
            let end = try loop.deadline(timeout)
            let shards = try await shards(of: nil, deadline: end)
            return try await gathered(shards) { shard throws(CacheError) in
                try await self.ask(CountRequest(scopes: scopes), at: shard, deadline: end)
            }
        } catch {
            return nil
        }
    }

    private func count(
        _ scopes: [Scope], at shard: ShardAddress
    ) async throws(CacheError) -> NodeCount {
        var total = NodeCount(node: shard.node, entryCount: 0, entryBytes: 0)
        let counted = scopes.filter { !$0.isPrefix }
        var scanned = scopes.filter(\.isPrefix)
        if !counted.isEmpty {
            do throws(CacheError) {
                total.add(
                    try await ask(
                        CountRequest(scopes: counted), at: shard, deadline: loop.deadline(nil)))
            } catch {
                // A node of an older release has no counters.
                guard error.isUnsupported else { throw error }
                scanned += counted
            }
        }
        for scope in scanned { total.add(try await scanning(scope, at: shard)) }
        return total
    }

    private func ask(
        _ request: CountRequest, at shard: ShardAddress, deadline: Instant
    ) async throws(CacheError) -> NodeCount {
        let question = AdminRequest(.endpoint(shard.endpoint), .init(.read, deadline: deadline)) {
            request.encode(requestID: 0, into: &$0)
        }
        guard question.message.count <= WireLimits.frameBytesMax else {
            throw CacheError(.invalidArgument, "the names are too long for one count")
        }
        let reply = try await loop.ask(question, .counted) { message throws(WireRefusal) in
            try CountReply(decoding: message.body)
        }
        return NodeCount(
            node: shard.node, entryCount: Int(clamping: reply.entryCount),
            entryBytes: Int(clamping: reply.entryBytes), isExact: !reply.isAtMost)
    }

    /// Scans a shard, page by page; ignores minimum versions and hash ranges.
    private func scanning(
        _ scope: Scope, at shard: ShardAddress
    ) async throws(CacheError) -> NodeCount {
        var count = NodeCount(node: shard.node, entryCount: 0, entryBytes: 0)
        count.isExact = scope.minimumVersion == nil && scope.hashRange == nil
        var cursor: UInt64 = 0
        repeat {
            let request = ScanRequest(
                cursor: cursor, limit: WireLimits.scanKeysMax, target: scope.target,
                isCountOnly: true)
            let page = try await scan(request, at: shard)
            count.add(
                NodeCount(
                    node: shard.node, entryCount: Int(clamping: page.entryCount),
                    entryBytes: Int(clamping: page.entryBytes)))
            cursor = page.nextCursor
        } while cursor != 0
        return count
    }
}

extension Scope {
    fileprivate var isPrefix: Bool {
        if case .prefix = target { true } else { false }
    }
}

/// How many entries of one node a scope covers.
public struct NodeCount: Hashable, Sendable {
    public var node: NodeID
    public var entryCount: Int
    /// The bytes that the entries are charged for, bookkeeping included.
    public var entryBytes: Int
    /// Whether the counts exclude entries that the same scope hides already, and entries of other
    /// scopes. If `false`, they are upper bounds.
    public var isExact = true

    mutating func add(_ other: NodeCount) {
        entryCount = Self.sum(entryCount, other.entryCount)
        entryBytes = Self.sum(entryBytes, other.entryBytes)
        isExact = isExact && other.isExact
    }

    /// Adds two counts. Nodes may send any number, so a sum beyond `Int.max` is `Int.max`.
    package static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
