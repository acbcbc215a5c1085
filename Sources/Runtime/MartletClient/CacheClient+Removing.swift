public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Gives a key a new time to live from now; nothing else changes. In a replicated topology, on
    /// every node.
    ///
    /// - Returns: whether the key had a value.
    /// - Throws: ``CacheError/Code/timedOut`` if no answer came: it may have been done.
    public func touch(
        _ key: CacheKey, lifetime: StoreOptions.Lifetime, in namespace: Namespace = .default,
        timeout: Duration? = nil
    ) async throws(CacheError) -> Bool {
        try await touch([key], lifetime: lifetime, in: namespace, timeout: timeout)[0]
    }

    /// Gives keys a new time to live from now.
    ///
    /// - Returns: for each key, in their order, whether it had a value.
    /// - Throws: the first failure; the other keys may have been touched.
    public func touch(
        _ keys: [CacheKey], lifetime: StoreOptions.Lifetime, in namespace: Namespace = .default,
        timeout: Duration? = nil
    ) async throws(CacheError) -> [Bool] {
        guard let span = tracer?.begin(.touch, in: namespace, count: keys.count) else {
            return try await renewLives(of: keys, lifetime, in: namespace, timeout)
        }
        return try await traced(span) { (_) throws(CacheError) in
            try await renewLives(of: keys, lifetime, in: namespace, timeout)
        }
    }

    private func renewLives(
        of keys: [CacheKey], _ lifetime: StoreOptions.Lifetime, in namespace: Namespace,
        _ timeout: Duration?
    ) async throws(CacheError) -> [Bool] {
        let milliseconds = try lifetime.milliseconds()
        let operations = keys.map { key in
            operation(key, in: namespace) { bytes, writer in
                TouchOperation.append(key: bytes, timeToLive: milliseconds, to: &writer)
            }
        }
        let envelope = Envelope(type: .touch, namespace: namespace)
        var found = [Bool](repeating: false, count: keys.count)
        for request in try await everywhere(operations, envelope, timeout: timeout) {
            for (index, progress) in request.progress.enumerated() {
                let answer = try Self.answer(progress.outcome)
                switch answer.status {
                case .touched: found[index] = true
                case .refused where answer.detail == StoreRefusal.absent.rawValue: break
                default: throw CacheError(answer)
                }
            }
        }
        return found
    }

    /// Executes operations at the owners, or on every replica at once.
    private func everywhere(
        _ operations: [DataRequest.Operation], _ envelope: Envelope, timeout: Duration?
    ) async throws(CacheError) -> [DataRequest] {
        let deadline = try self.deadline(timeout)
        try Self.checkCount(operations.count)
        let topology = try await loop.topology(deadline: deadline)
        let placements: [DataRequest.Placement] =
            topology.kind == .sharded ? [.routed] : topology.nodes.map { .node($0.id) }
        let requests = placements.map {
            DataRequest(envelope, placement: $0, deadline: deadline, operations: operations)
        }
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask { await self.loop.perform(request) }
            }
        }
        return requests
    }

    /// Removes keys everywhere: the owner of each passes an invalidation to the publisher, and has
    /// applied it when it answers. Removing a key without a value succeeds, too.
    ///
    /// - Parameter trace: the external request that this is for.
    /// - Returns: a position at or past the removals; this client's own reads require at least this
    ///   position.
    /// - Throws: the first failure. Other keys may have been removed, and after
    ///   ``CacheError/Code/timedOut`` that one too.
    @discardableResult
    public func delete(
        _ keys: [CacheKey], in namespace: Namespace = .default, timeout: Duration? = nil,
        trace: TraceContext? = nil
    ) async throws(CacheError) -> LogPosition {
        guard let span = tracer?.begin(.delete, in: namespace, count: keys.count, for: trace)
        else { return try await remove(keys, in: namespace, timeout, trace) }
        return try await traced(span) { (trace) throws(CacheError) in
            try await remove(keys, in: namespace, timeout, trace)
        }
    }

    private func remove(
        _ keys: [CacheKey], in namespace: Namespace, _ timeout: Duration?, _ trace: TraceContext?
    ) async throws(CacheError) -> LogPosition {
        let deadline = try self.deadline(timeout)
        try Self.checkCount(keys.count)
        let request = DataRequest(
            Envelope(type: .delete, namespace: namespace, trace: trace), placement: .routed,
            deadline: deadline,
            operations: keys.map { key in
                operation(key, in: namespace) { bytes, writer in
                    DeleteOperation.append(key: bytes, to: &writer)
                }
            })
        await loop.perform(request)
        var position = LogPosition.none
        var failure: CacheError?
        for progress in request.progress {
            do throws(CacheError) {
                let answer = try Self.answer(progress.outcome)
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

    private func operation(
        _ key: CacheKey, in namespace: Namespace,
        _ append: (UnsafeRawBufferPointer, inout ByteWriter) -> Void
    ) -> DataRequest.Operation {
        var writer = ByteWriter(capacityBytes: key.bytes.count + 32)
        key.bytes.withUnsafeBytes { append($0, &writer) }
        return DataRequest.Operation(
            route: RouteHash(of: key.bytes, in: namespace), body: writer.array)
    }
}
