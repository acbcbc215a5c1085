public import CacheModel
import CacheClientCore

extension CacheClient {
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
    ///   ``topology(isRefreshed:)`` throws; nothing was done then.
    /// - Complexity: O(keys listed × bytes of key and pattern), see ``KeyGlob``; memory for the
    ///   matching keys, at most 1 048 576 and 64 MiB of their bytes, and for one page.
    public func invalidate(
        keysMatching pattern: KeyGlob, in namespace: Namespace = .default,
        options: PatternInvalidationOptions = PatternInvalidationOptions(),
        onProgress: (PatternInvalidation) -> Void = { _ in }
    ) async throws(CacheError) -> PatternInvalidation {
        guard (1...1_000_000).contains(options.keysPerSecond) else {
            throw CacheError(.invalidArgument, "a rate is 1 to 1000000 keys a second")
        }
        let topology = try await topology(isRefreshed: true)
        var run = PatternRun(self, pattern, in: namespace, options, topology)
        await run.carryOut(onProgress)
        return run.state
    }
}
