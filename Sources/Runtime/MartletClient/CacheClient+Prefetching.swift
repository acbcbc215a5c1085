public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import Threading

extension CacheClient {
    /// Makes nodes load those of `keys` that are not fresh, ahead of need. Returns no values.
    ///
    /// At the origin these loads come after all others and use only a part of its capacity. If
    /// there is no capacity, this call slows down and tries a key at most five times; see
    /// ``PrefetchOptions``. Each key goes to its owner; in a replicated topology, to every node.
    ///
    /// - Returns: for each key, in their order, the outcome, or why it was not loaded. After a
    ///   cancellation: ``CacheError/Code/cancelled`` for keys without an answer.
    public func prefetch(
        _ keys: [CacheKey], in namespace: Namespace = .default,
        options: PrefetchOptions = PrefetchOptions()
    ) async -> [Result<PrefetchOutcome, CacheError>] {
        let cancelled = CacheError(.cancelled, "the task that asked was cancelled")
        var results = [Result<PrefetchOutcome, CacheError>](
            repeating: .failure(cancelled), count: keys.count)
        do throws(CacheError) {
            try Self.checkCount(keys.count)
            let run = try PrefetchRun(self, in: namespace, options)
            await run.carryOut(keys) { results[$0] = $1 }
        } catch {
            return keys.map { _ in .failure(error) }
        }
        return results
    }

    /// Requests one key once: from its owner, from every replica, or from the node in the options.
    func prefetch(
        _ key: CacheKey, in namespace: Namespace, _ options: PrefetchOptions
    ) async -> PrefetchEnding {
        do throws(CacheError) {
            let deadline = try self.deadline(options.timeout)
            let topology = try await loop.topology(deadline: deadline)
            let placements: [DataRequest.Placement] =
                options.node.map { [.node($0)] }
                ?? (topology.kind == .sharded
                    ? [.routed] : topology.nodes.map { .node($0.id) })
            let envelope = Self.envelope(in: namespace, options)
            let operation = Self.prefetchOperation(key, in: namespace)
            let requests = placements.map {
                DataRequest(
                    envelope, placement: $0, deadline: deadline, operations: [operation],
                    attemptTimeout: ClientLimits.prefetchAttemptTimeout)
            }
            await withTaskGroup(of: Void.self) { group in
                for request in requests {
                    group.addTask { await self.loop.perform(request) }
                }
            }
            return PrefetchEnding(requests.map { Self.ending(of: $0.progress[0].outcome) })
        } catch {
            return PrefetchEnding(error)
        }
    }

    private static func envelope(in namespace: Namespace, _ options: PrefetchOptions) -> Envelope {
        var envelope = Envelope(type: .get, namespace: namespace)
        envelope.isPrefetch = true
        envelope.maxAgeMilliseconds = options.maxAge.map { UInt32(clamping: $0.wholeMilliseconds) }
        return envelope
    }

    private static func prefetchOperation(
        _ key: CacheKey, in namespace: Namespace
    ) -> DataRequest.Operation {
        var writer = ByteWriter(capacityBytes: key.bytes.count + 4)
        key.bytes.withUnsafeBytes {
            GetOperation.append(key: $0, options: .prefetch, to: &writer)
        }
        return DataRequest.Operation(
            route: RouteHash(of: key.bytes, in: namespace), body: writer.array)
    }

    private static func ending(of outcome: DataRequest.Outcome?) -> PrefetchEnding {
        do throws(CacheError) {
            return PrefetchEnding(try answer(outcome))
        } catch {
            return PrefetchEnding(error)
        }
    }
}

extension PrefetchRun {
    /// Requests every key, or as many as possible before the task is cancelled.
    fileprivate func carryOut(
        _ keys: [CacheKey],
        _ hear: (_ number: Int, Result<PrefetchOutcome, CacheError>) -> Void
    ) async {
        let items = keys.enumerated().map { Item(number: $0.offset, key: $0.element) }
        let source = Guarded(items)
        do {
            try await carryOut(
                from: {
                    source.withLock { items in
                        defer { items = [] }
                        return items
                    }
                },
                { news in
                    if case .ended(let item, let result) = news { hear(item.number, result) }
                })
        } catch {
            // Neither the source nor the listener throws: the task was cancelled.
        }
    }
}
