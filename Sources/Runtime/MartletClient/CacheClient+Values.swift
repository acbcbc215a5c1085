public import CacheModel

/// Reading, storing, touching and removing values by `CacheKey`, with all options. The
/// calls with names as text, ``set(_:_:tags:lifetime:in:)`` and its like, suit most programs.
extension CacheClient {
    /// The value stored under `key`.
    ///
    /// - Returns: `nil` if the key has no value. A value may be stale; see ``CachedValue/isStale``.
    /// - Throws: ``CacheError/Code/disconnected`` at once if the owner is known to be down,
    ///   ``CacheError/Code/timedOut`` if no answer came, ``CacheError/Code/behind`` if the shard
    ///   cannot answer as fresh as requested, and the other codes as documented there.
    public func get(
        _ key: CacheKey, in namespace: Namespace = .default, options: ReadOptions = ReadOptions()
    ) async throws(CacheError) -> CachedValue? {
        try await reader.get(key, in: namespace, options)
    }

    /// The values stored under `keys`, in their order.
    ///
    /// - Returns: `nil` for each key without a value.
    /// - Throws: the first failure; ``results(for:in:options:)`` returns them one by one.
    public func get(
        _ keys: [CacheKey], in namespace: Namespace = .default,
        options: ReadOptions = ReadOptions()
    ) async throws(CacheError) -> [CachedValue?] {
        var values: [CachedValue?] = []
        for result in await results(for: keys, in: namespace, options: options) {
            values.append(try result.get())
        }
        return values
    }

    /// The values stored under `keys`, in their order, each with its own failure.
    ///
    /// Keys of one shard share messages. A result is `nil` for a key without a value.
    public func results(
        for keys: [CacheKey], in namespace: Namespace = .default,
        options: ReadOptions = ReadOptions()
    ) async -> [Result<CachedValue?, CacheError>] {
        guard
            let span = tracer?.begin(.get, in: namespace, count: keys.count, for: options.trace)
        else { return await reader.get(keys, in: namespace, options) }
        var options = options
        options.trace = span.trace
        let results = await reader.get(keys, in: namespace, options)
        span.end(with: results)
        return results
    }

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
        do throws(CacheError) {
            try DataRequest.check(count: keys.count)
            return await (try PrefetchRun(self, in: namespace, options)).results(of: keys)
        } catch {
            return keys.map { _ in .failure(error) }
        }
    }

    // MARK: Stores

    /// Stores `value` under `key`.
    ///
    /// Such a store is *blind*: an invalidation between reading the origin and storing goes
    /// unnoticed, and the value is marked unfenced. ``load(_:in:options:from:)`` closes that gap.
    /// In a replicated topology the near node orders the store in the log. Then the value is copied
    /// to every other node that is reachable in time; ``StoreResult/storedOn`` lists the nodes that
    /// have it.
    ///
    /// - Throws: ``CacheError/Code/refused`` with ``CacheError/refusal`` if it was not admitted,
    ///   ``CacheError/Code/timedOut`` if no answer came: it may have been stored all the same.
    public func set(
        _ key: CacheKey, to value: [UInt8], in namespace: Namespace = .default,
        options: StoreOptions = StoreOptions()
    ) async throws(CacheError) -> StoreResult {
        let item = StoreItem(key, value, options: options)
        return try await set(
            [item], in: namespace, timeout: options.timeout, trace: options.trace)[0].get()
    }

    /// Stores several values. Stores of one shard share messages.
    ///
    /// - Parameters:
    ///   - timeout: of the whole call; `nil` is the timeout of the client.
    ///   - trace: the external request that they are for. The traces in the items' options are
    ///     ignored.
    /// - Returns: for each item, in their order, the outcome.
    public func set(
        _ items: [StoreItem], in namespace: Namespace = .default, timeout: Duration? = nil,
        trace: TraceContext? = nil
    ) async -> [Result<StoreResult, CacheError>] {
        guard let span = tracer?.begin(.set, in: namespace, count: items.count, for: trace) else {
            return await writer.store(items, in: namespace, timeout, trace)
        }
        let results = await writer.store(items, in: namespace, timeout, span.trace)
        span.end(
            with: results.lazy.compactMap { result in
                if case .failure(let error) = result { error } else { nil }
            }.first)
        return results
    }

    // MARK: Touches and removals

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
        let span = tracer?.begin(.touch, in: namespace, count: keys.count)
        return try await span.record { (_) throws(CacheError) in
            try await writer.touch(keys, lifetime, in: namespace, timeout)
        }
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
        let span = tracer?.begin(.delete, in: namespace, count: keys.count, for: trace)
        return try await span.record(or: trace) { (trace) throws(CacheError) in
            try await writer.remove(keys, in: namespace, timeout, trace)
        }
    }
}
