import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

/// A running cluster as its users see it: through a client, asking every node.
struct ClusterView: Sendable {
    let client: CacheClient
    let nodes: [NodeID]
    let isReplicated: Bool

    init(
        endpoint: String, keyFile: URL? = nil, nodes: [NodeID], isReplicated: Bool
    ) throws {
        var configuration = CacheClientConfiguration(endpoints: [endpoint])
        configuration.timeout = .seconds(20)
        configuration.keys = try keyFile.map { try ClientKeys(file: $0) }
        client = try CacheClient(configuration)
        self.nodes = nodes
        self.isReplicated = isReplicated
    }

    /// Whom to ask for a key: its owner (`nil`), or in a replicated topology every node.
    var readers: [NodeID?] { isReplicated ? nodes : [nil] }

    // MARK: Filling

    /// Loads entries on every node that may hold them, fenced.
    func fill(_ entries: [SampleEntry], in namespace: Namespace = .default) async throws {
        for reader in readers {
            for start in stride(from: 0, to: entries.count, by: 250) {
                let part = entries[start..<min(start + 250, entries.count)]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for entry in part {
                        group.addTask { try await load(entry, in: namespace, at: reader) }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private func load(_ entry: SampleEntry, in namespace: Namespace, at reader: NodeID?)
        async throws
    {
        var options = LoadOptions()
        options.read.node = reader
        let value = await client.load(.named(entry.key), in: namespace, options: options) { _ in
            entry.loaded
        }
        if let error = value.notStored { throw GaveUp("\(entry.key) was not stored: \(error)") }
    }

    // MARK: Looking

    /// What a reader found.
    struct Finding: Equatable, CustomStringConvertible {
        var fresh: Set<String> = []
        var stale: Set<String> = []
        var missing: Set<String> = []
        var failures: [String] = []

        var description: String {
            "\(fresh.count) fresh, \(stale.count) stale, \(missing.count) missing, "
                + "\(failures.count) failures \(failures.prefix(1))"
        }
    }

    /// Asks for entries, of one node or of their owners.
    func find(
        _ entries: [SampleEntry], in namespace: Namespace = .default, at reader: NodeID? = nil,
        _ options: ReadOptions = ReadOptions()
    ) async -> Finding {
        var options = options
        options.node = reader
        let keys = entries.map { CacheKey.named($0.key) }
        let results = await client.results(for: keys, in: namespace, options: options)
        var finding = Finding()
        for (entry, result) in zip(entries, results) {
            switch result {
            case .success(let value?):
                #expect(value.bytes == entry.value, "\(entry.key) has another value")
                if value.isStale {
                    finding.stale.insert(entry.key)
                } else {
                    finding.fresh.insert(entry.key)
                }
            case .success(nil): finding.missing.insert(entry.key)
            case .failure(let error): finding.failures.append("\(entry.key): \(error)")
            }
        }
        return finding
    }

    /// Expects that every reader finds exactly `expected` of the entries, and those fresh.
    func expect(
        only expected: [SampleEntry], of entries: [SampleEntry],
        in namespace: Namespace = .default, _ location: SourceLocation = #_sourceLocation
    ) async {
        for reader in readers {
            let keys = Set(expected.map(\.key))
            var finding = await find(entries, in: namespace, at: reader)
            // A node that a busy machine kept from its lease vouches for nothing at the moment.
            let deadline = ContinuousClock.now + .seconds(10)
            while !finding.stale.isEmpty, finding.fresh.isSubset(of: keys),
                ContinuousClock.now < deadline
            {
                await breath()
                finding = await find(entries, in: namespace, at: reader)
            }
            let rest = Set(entries.map(\.key)).subtracting(keys)
            // What a disk did not give within a second is a miss, which the node has counted.
            if finding.fresh.isStrictSubset(of: keys), finding.failures.isEmpty,
                await hasWaitedTooLong()
            {
                finding = await find(entries, in: namespace, at: reader)
            }
            #expect(
                finding.fresh == keys && finding.missing == rest,
                """
                \(reader?.name ?? "the owners"): \(finding); expected \(keys.count) fresh, wrongly \
                there: \(Array(finding.fresh.subtracting(keys).prefix(3)))
                """, sourceLocation: location)
        }
    }

    /// Whether some node has answered without what its disk did not give in time.
    private func hasWaitedTooLong() async -> Bool {
        for node in nodes {
            do throws(CacheError) {
                for shard in try await client.cluster.status(of: node, timeout: .seconds(2))
                where shard.figures["disk_waits_late"] ?? 0 > 0 { return true }
            } catch {
                continue
            }
        }
        return false
    }

    // MARK: Invalidating

    /// Invalidates, and expects that the receipt lists every node as applied.
    @discardableResult
    func invalidate(
        _ target: Scope.Target, _ location: SourceLocation = #_sourceLocation
    ) async throws -> InvalidationReceipt {
        let receipt = try await client.invalidate([Scope(target)])
        #expect(
            receipt.isComplete && receipt.applied.map(\.node).sorted() == nodes
                && receipt.expired.isEmpty && receipt.pending.isEmpty,
            "\(receipt)", sourceLocation: location)
        return receipt
    }

    /// Invalidates keys one record each, many at a time, waiting for no node.
    func invalidateEach(_ keys: [String]) async throws {
        let strides = 64
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offset in 0..<min(strides, keys.count) {
                group.addTask {
                    for index in stride(from: offset, to: keys.count, by: strides) {
                        let target = Scope.Target.key(.named(keys[index]), in: .default)
                        _ = try await client.invalidate([Scope(target)], wait: .none)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Agreeing

    /// Waits until every shard is live at the publisher's head, with the publisher's digest.
    func settle(within patience: Duration = .seconds(45)) async throws {
        var last = ""
        try await eventually("all nodes agree with the publisher: \(last)", within: patience) {
            let publisher = try await client.cluster.publisherStatus(timeout: .seconds(2))
            for node in nodes {
                for shard in try await client.cluster.status(of: node, timeout: .seconds(2)) {
                    last = "\(node) is \(shard.state) at \(shard.position)"
                    last += ", the head is \(publisher.position)"
                    guard shard.state == .live, shard.position == publisher.position,
                        shard.digest == publisher.digest
                    else { return false }
                }
            }
            return true
        }
    }

    func head() async throws -> LogPosition {
        try await client.cluster.publisherStatus().position
    }

    func applied(_ node: NodeID) async throws -> LogPosition {
        try await client.cluster.status(of: node).map(\.position).min() ?? .none
    }
}
