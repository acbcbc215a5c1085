public import CacheModel
import CacheWire

extension CacheClient {
    /// Makes everything that the scopes cover unusable, from now on and on every node.
    ///
    /// The scopes are one record of the log, so all or none of them are invalidated. The receipt
    /// lists the nodes that have applied it. An incomplete receipt is no error: the record is in
    /// the log, and every node applies it before it serves fresh values again.
    ///
    /// - Parameters:
    ///   - scopes: 1 to 1 000, and together at most 64 KiB.
    ///   - timeout: how long the publisher waits for the nodes; `nil` is the timeout of the client.
    ///   - trace: the external request that this is for; the publisher's audit log names it.
    /// - Throws: ``CacheError/Code/invalidArgument`` for scopes outside of these limits,
    ///   ``CacheError/Code/disconnected`` if the publisher is unreachable, and
    ///   ``CacheError/Code/timedOut`` if it did not answer: the invalidation may have been done.
    ///   The same is true of a retry that was refused after an unanswered attempt;
    ///   ``CacheError/mayHaveHappened`` tells. Repeating an invalidation is always safe.
    public func invalidate(
        _ scopes: [Scope], wait: InvalidationWait = .all, timeout: Duration? = nil,
        strength: InvalidationRecord.Strength = .hard, trace: TraceContext? = nil
    ) async throws(CacheError) -> InvalidationReceipt {
        let span = tracer?.begin(.invalidate, count: scopes.count, for: trace)
        return try await span.record(or: trace) { (trace) throws(CacheError) in
            try PublisherQuestions.check(scopes)
            var request = InvalidateRequest(
                scopes: scopes, strength: strength, wait: WaitMode(wait),
                timeoutMilliseconds: publisher.milliseconds(timeout), operation: .random())
            request.issuer = configuration.issuer
            request.trace = trace
            return try await publisher.invalidate(request, timeout)
        }
    }

    /// Reports which nodes have applied the log up to and including a position.
    ///
    /// Use it for an invalidation that did not wait, or for a position from another client. A
    /// position in a finished epoch counts as applied by every node that follows a later epoch:
    /// such a node hides all that it held before. The question invalidates nothing.
    ///
    /// - Parameters:
    ///   - wait: what the publisher waits for before it answers; ``InvalidationWait/none`` returns
    ///     the current state.
    ///   - timeout: how long it waits; `nil` takes the client's own.
    /// - Returns: the receipt, with the issuer of the record if the publisher knows it. An
    ///   incomplete one is no error.
    /// - Throws: ``CacheError/Code/refused`` if the log does not reach that far, or the publisher
    ///   is of a release that cannot be asked; ``CacheError/Code/disconnected`` or
    ///   ``CacheError/Code/timedOut`` if it does not answer.
    public func receipt(
        of position: LogPosition, wait: InvalidationWait = .all, timeout: Duration? = nil
    ) async throws(CacheError) -> InvalidationReceipt {
        try await publisher.receipt(
            AwaitRequest(
                position: position, wait: WaitMode(wait),
                timeoutMilliseconds: publisher.milliseconds(timeout)), timeout)
    }

    /// Invalidates what the scopes cover in slices: one part of the keys after another, evenly over
    /// `span`.
    ///
    /// Returns when the publisher has recorded the order – on its disk, if its log is there –,
    /// right before the first slice. From then on the publisher continues without this client, also
    /// after a restart. A key is served as before until its slice is invalidated.
    /// ``CacheCluster/pacedInvalidations(timeout:)`` reports the progress.
    ///
    /// - Parameters:
    ///   - scopes: 1 to 16 tags, prefixes, namespaces or everything; together at most 16 KiB.
    ///   - span: one second to seven days.
    /// - Throws: ``CacheError/Code/refused`` for arguments outside of these limits, if too many are
    ///   running, or if the order could not be recorded; then nothing was begun.
    ///   ``CacheError/Code/disconnected`` if the publisher is unreachable, and
    ///   ``CacheError/Code/timedOut`` if it did not answer: it may have begun.
    public func invalidate(
        _ scopes: [Scope], over span: Duration, timeout: Duration? = nil,
        strength: InvalidationRecord.Strength = .hard
    ) async throws(CacheError) -> PacedInvalidation {
        guard scopes.allSatisfy(\.isMeaningful) else {
            throw CacheError(.invalidArgument, "a prefix has 1 to 4096 bytes")
        }
        var request = PaceRequest(.begin)
        request.scopes = scopes
        request.strength = strength
        request.issuer = configuration.issuer
        request.spanMilliseconds = UInt32(clamping: span.wholeMilliseconds)
        request.operation = .random()
        return try await publisher.order(request, timeout)
    }

    /// Makes the keys of a namespace that match a pattern unusable, by listing all keys and
    /// invalidating those that match.
    ///
    /// Slow: every key of every node that begins as the pattern does is sent to this client. A tag
    /// or a prefix is one record, exact and immediate; use them where you can.
    ///
    /// If the result ``PatternInvalidation/isComplete``, then of every matching key that was in the
    /// memory of a node and visible while its shard was scanned, no node answers *fresh* with a
    /// value that was read before this call. **Not covered** are keys that were stored or loaded
    /// during the call, keys that are only on a node's disk, keys that are hidden at the moment,
    /// keys that are cached as absent (nodes do not list them), and those of nodes that did not
    /// answer.
    ///
    /// The result names nodes that did not answer, that joined meanwhile, that had no lease at the
    /// beginning or at the end, or that the publisher did not report. It names nodes that
    /// were restarted meanwhile if this client has the role `metrics`, or if endpoints changed.
    ///
    /// A node that does not answer is tried three times and passed over. If the publisher does not
    /// accept a record after three attempts, the call ends and returns
    /// ``PatternInvalidation/failure``. Repeating the call is always safe. If the calling task is
    /// cancelled, the record that is under way is finished, no other is sent, and the result
    /// ``PatternInvalidation/wasStopped``.
    ///
    /// - Parameters:
    ///   - onProgress: receives the state after each step: a page, a record or a pause.
    /// - Returns: what was done, also where that is not all.
    /// - Throws: ``CacheError/Code/invalidArgument`` for a rate outside of 1 to 1 000 000, and what
    ///   ``CacheCluster/topology(isRefreshed:)`` throws; nothing was done then.
    /// - Complexity: O(keys listed × bytes of key and pattern), see `KeyGlob`; memory for the
    ///   matching keys, at most 1 048 576 and 64 MiB of their bytes, and for one page.
    public func invalidate(
        keysMatching pattern: KeyGlob, in namespace: Namespace = .default,
        options: PatternInvalidationOptions = PatternInvalidationOptions(),
        onProgress: (PatternInvalidation) -> Void = { _ in }
    ) async throws(CacheError) -> PatternInvalidation {
        guard (1...1_000_000).contains(options.keysPerSecond) else {
            throw CacheError(.invalidArgument, "a rate is 1 to 1000000 keys a second")
        }
        let topology = try await cluster.topology(isRefreshed: true)
        var run = PatternRun(self, pattern, in: namespace, options, topology)
        await run.carryOut(onProgress)
        return run.state
    }
}
