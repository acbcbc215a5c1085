import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// Stores, touches and removes values.
///
/// A value too large for one frame is sent ahead in chunks. In a replicated topology the near node
/// orders a store in the log; then it is copied to the other reachable nodes.
struct ValueWriter: Sendable {
    let loop: ClientLoop

    struct Target: Sendable {
        var namespace: Namespace
        var deadline: Instant
        var placement: DataRequest.Placement = .routed
        var atLeast: LogPosition?
        var trace: TraceContext?
    }

    /// Stores values at their owners, or on every reachable replica.
    ///
    /// - Returns: for each item, in their order, the outcome.
    func store(
        _ items: [StoreItem], in namespace: Namespace, _ timeout: Duration?, _ trace: TraceContext?
    ) async -> [Result<StoreResult, CacheError>] {
        do throws(CacheError) {
            let deadline = try loop.deadline(timeout)
            try DataRequest.check(count: items.count)
            let topology = try await loop.topology(deadline: deadline)
            let stores = items.map { item in
                Result<Store, CacheError> { () throws(CacheError) in try Store(item) }
            }
            let target = Target(namespace: namespace, deadline: deadline, trace: trace)
            let first = await send(stores, target)
            guard topology.kind == .replicated else {
                return first.map { $0.map { StoreResult($0) } }
            }
            return await copy(stores, storedBy: first, target, to: topology)
        } catch {
            return items.map { _ in .failure(error) }
        }
    }

    func send(_ store: Store, _ target: Target) async throws(CacheError) -> OperationAnswer {
        try await send([.success(store)], target)[0].get()
    }

    /// Sends stores that are within their limits.
    ///
    /// If the node with the chunks of a large value changes or goes away before the SET, the upload
    /// is sent again: nothing was stored.
    ///
    /// - Returns: for each store its STORED, or why there is none.
    private func send(
        _ stores: [Result<Store, CacheError>], _ target: Target
    ) async -> [Result<OperationAnswer, CacheError>] {
        var results = await sendOnce(stores, target)
        guard stores.contains(where: { $0.value?.needsUpload == true }) else { return results }
        for _ in 0..<ClientLimits.restartsMax where MonotonicClock.now < target.deadline {
            let lost = results.indices.filter { Self.isLost(results[$0], stores[$0], target) }
            guard !lost.isEmpty else { break }
            let again = await sendOnce(lost.map { stores[$0] }, target)
            for (index, result) in zip(lost, again) { results[index] = result }
        }
        return results
    }

    private func sendOnce(
        _ stores: [Result<Store, CacheError>], _ target: Target
    ) async -> [Result<OperationAnswer, CacheError>] {
        var results: [Result<OperationAnswer, CacheError>] = []
        var operations: [DataRequest.Operation] = []
        var places: [Int] = []
        var target = target
        for (index, store) in stores.enumerated() {
            do throws(CacheError) {
                let ready = try await uploaded(store.get(), &target)
                operations.append(ready.operation(in: target.namespace))
                places.append(index)
                results.append(.failure(.closed))
            } catch {
                results.append(.failure(error))
            }
        }
        let request = DataRequest(
            Envelope(
                type: .set, namespace: target.namespace, atLeast: target.atLeast,
                // Either all stores of one call bring a token, or none.
                bringsTokens: stores.contains { $0.value?.description.token != nil },
                trace: target.trace),
            placement: target.placement, deadline: target.deadline, operations: operations)
        await loop.perform(request)
        for (place, progress) in zip(places, request.progress) {
            results[place] = Result { () throws(CacheError) in
                let answer = try DataRequest.answer(progress.outcome)
                guard answer.status == .stored else { throw CacheError(answer) }
                return answer
            }
        }
        return results
    }

    /// Whether a store failed only because the node with its chunks changed, or went away and
    /// another node can be asked.
    private static func isLost(
        _ result: Result<OperationAnswer, CacheError>, _ store: Result<Store, CacheError>,
        _ target: Target
    ) -> Bool {
        guard case .failure(let error) = result, store.value != nil else { return false }
        if error.refusal == .uploadIncomplete { return true }
        guard case .routed = target.placement else { return false }
        return error.code == .disconnected && !error.mayHaveHappened
    }

    /// Sends a value ahead in chunks if it is too large for one frame.
    ///
    /// - Parameter target: where the chunks go. In a replicated topology, the node that accepts the
    ///   first chunk becomes the near node of all later ones: only that node has the others.
    private func uploaded(
        _ store: Store, _ target: inout Target
    ) async throws(CacheError) -> Store {
        guard store.needsUpload else { return store }
        let id = UInt64.random(in: 1...UInt64.max)
        for offset in stride(from: 0, to: store.value.count, by: WireLimits.chunkBytesMax) {
            let answer = try await send(store, chunkAt: offset, of: id, target)
            if case .routed = target.placement, let node = answer.node {
                target.placement = .near(node)
            }
        }
        var ahead = store
        ahead.description.upload = SetOperation.Upload(id: id, totalBytes: store.value.count)
        ahead.value = []
        return ahead
    }

    private func send(
        _ store: Store, chunkAt offset: Int, of id: UInt64, _ target: Target
    ) async throws(CacheError) -> OperationAnswer {
        let request = DataRequest(
            Envelope(
                type: .chunk, namespace: target.namespace,
                bringsTokens: store.description.token != nil),
            placement: target.placement, deadline: target.deadline,
            operations: [store.chunk(id: id, offset: offset, in: target.namespace)])
        await loop.perform(request)
        do throws(CacheError) {
            let answer = try DataRequest.answer(request.progress[0].outcome)
            guard answer.status == .received else { throw CacheError(answer) }
            return answer
        } catch {
            // Chunks alone store nothing.
            throw error.certain
        }
    }

    // MARK: Replicas

    /// Copies the near node's stores to all other reachable nodes, at the same time.
    private func copy(
        _ stores: [Result<Store, CacheError>],
        storedBy first: [Result<OperationAnswer, CacheError>], _ target: Target,
        to topology: Topology
    ) async -> [Result<StoreResult, CacheError>] {
        var copies = stores
        var newest = LogPosition.none
        for (index, outcome) in first.enumerated() {
            switch outcome {
            case .success(let answer):
                guard let token = answer.fields.token else {
                    // The origin has the write, and the key is invalidated: nothing is copied. The
                    // position that the node has applied by now reflects the write.
                    copies[index] = .failure(.closed)
                    loop.wrote(answer.proof.position, by: answer.node)
                    continue
                }
                copies[index] = copies[index].map { $0.with(token) }
                newest = max(newest, token.position)
                loop.wrote(token.position, by: answer.node)
            case .failure(let error): copies[index] = .failure(error)
            }
        }
        let starters = Set(first.compactMap { $0.value?.node })
        let frozen = (copies, newest)
        let others = await withTaskGroup(
            of: (NodeID, [Result<OperationAnswer, CacheError>]).self
        ) { group in
            for node in topology.nodes.map(\.id) where starters != [node] {
                group.addTask {
                    var there = target
                    there.placement = .node(node)
                    there.atLeast = frozen.1
                    return (node, await self.send(frozen.0, there))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return first.enumerated().map { index, outcome in
            outcome.map { answer in
                var result = StoreResult(answer)
                result.position = answer.fields.token?.position ?? result.position
                for (node, outcomes) in others
                where node != answer.node && outcomes[index].value != nil {
                    result.storedOn.append(node)
                }
                result.storedOn.sort()
                return result
            }
        }
    }

    // MARK: Touches and removals

    /// Gives keys a new time to live, at the owners or on every replica at once.
    ///
    /// - Returns: for each key, in their order, whether it had a value.
    func touch(
        _ keys: [CacheKey], _ lifetime: StoreOptions.Lifetime, in namespace: Namespace,
        _ timeout: Duration?
    ) async throws(CacheError) -> [Bool] {
        let milliseconds = try lifetime.milliseconds()
        let deadline = try loop.deadline(timeout)
        try DataRequest.check(count: keys.count)
        let operations = keys.map { key in
            DataRequest.Operation(of: key, in: namespace) { bytes, writer in
                TouchOperation.append(key: bytes, timeToLive: milliseconds, to: &writer)
            }
        }
        let requests = try await loop.topology(deadline: deadline).placements.map {
            DataRequest(
                Envelope(type: .touch, namespace: namespace), placement: $0, deadline: deadline,
                operations: operations)
        }
        await loop.perform(requests)
        var found = [Bool](repeating: false, count: keys.count)
        for request in requests {
            for (index, progress) in request.progress.enumerated() {
                let answer = try DataRequest.answer(progress.outcome)
                switch answer.status {
                case .touched: found[index] = true
                case .refused where answer.detail == StoreRefusal.absent.rawValue: break
                default: throw CacheError(answer)
                }
            }
        }
        return found
    }

    /// Removes keys everywhere.
    ///
    /// - Returns: a position at or past the removals.
    /// - Throws: the first failure.
    func remove(
        _ keys: [CacheKey], in namespace: Namespace, _ timeout: Duration?, _ trace: TraceContext?
    ) async throws(CacheError) -> LogPosition {
        let deadline = try loop.deadline(timeout)
        try DataRequest.check(count: keys.count)
        let request = DataRequest(
            Envelope(type: .delete, namespace: namespace, trace: trace), placement: .routed,
            deadline: deadline,
            operations: keys.map { key in
                DataRequest.Operation(of: key, in: namespace) { bytes, writer in
                    DeleteOperation.append(key: bytes, to: &writer)
                }
            })
        await loop.perform(request)
        var position = LogPosition.none
        var failure: CacheError?
        for progress in request.progress {
            do throws(CacheError) {
                let answer = try DataRequest.answer(progress.outcome)
                guard answer.status == .removed else { throw CacheError(ofChange: answer) }
                position = max(position, answer.proof.position)
                loop.wrote(answer.proof.position, by: answer.node)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return position
    }
}

extension StoreResult {
    init(_ answer: OperationAnswer) {
        self.init(
            position: answer.proof.position, isFenced: !answer.flags.contains(.unfenced),
            isQueued: answer.flags.contains(.queued), node: answer.node,
            storedOn: answer.node.map { [$0] } ?? [])
    }
}
