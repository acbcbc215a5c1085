public import CacheModel
import Tracing

extension CacheClient {
    /// Gets the value of `key` from the cache, or else loads it from `origin` and stores it.
    ///
    /// A miss gives one caller in the whole cluster the right to fill the key. The other callers
    /// wait for that load, for a bounded time. A loaded value is stored only if no invalidation
    /// since the miss covers the key. Otherwise it is returned once and not stored. So a value read
    /// before an invalidation is never served after it.
    ///
    ///     get with TOKEN ─▶ hit ───────────────────────────────▶ value
    ///           │
    ///           ├─▶ miss, token ─▶ origin ─▶ fenced store ─────▶ value (refused: not stored)
    ///           ├─▶ miss, another caller loads ─▶ wait, retry
    ///           └─▶ cache unreachable ─▶ origin ───────────────▶ value, not stored
    ///
    /// If the load fails – `origin` throws, or the task is cancelled – the right is given back at
    /// once, and the next caller gets it.
    ///
    /// In a namespace with an origin, a node that has lost the publisher may go on serving its
    /// entries for a while (`suspect: serve-then-revalidate`). Such a value is returned, with
    /// ``CachedValue/isStale``.
    ///
    /// Failures of the cache never make this call fail: it asks `origin`, and
    /// ``CachedValue/notStored`` holds the cache's error.
    ///
    /// The cache may have a value that it does not vouch for: the node may have missed an
    /// invalidation, or a soft invalidation covers the value. Such a value can be confirmed instead
    /// of loaded: see ``LoadContext/mayBeUnchanged``.
    ///
    /// - Parameter origin: reads the value from its source. Called at most once, and once more if
    ///   ``LoadedValue/unchanged(options:)`` came too late.
    /// - Throws: only what `origin` throws.
    public func load<Failure: Error>(
        _ key: CacheKey, in namespace: Namespace = .default, options: LoadOptions = LoadOptions(),
        from origin: (LoadContext) async throws(Failure) -> LoadedValue
    ) async throws(Failure) -> CachedValue {
        guard let span = tracer?.begin(.load, in: namespace, for: options.read.trace) else {
            return try await loader.load(key, in: namespace, options, from: origin)
        }
        var options = options
        options.read.trace = span.trace
        let result = await ServiceContext.withValue(span.context) {
            [options] () async -> Result<CachedValue, Failure> in
            do throws(Failure) {
                return .success(
                    try await loader.load(key, in: namespace, options, from: origin))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let value): span.end(with: value)
        case .failure(let error): span.end(with: error)
        }
        return try result.get()
    }
}

/// Loading in two steps, for callers that cannot pass a closure. The caller looks a key up, gets
/// the right to fill it, and stores by that right later, from another process if need be.
///
///     find ─▶ found
///        └──▶ missing, right ─▶ (the caller reads its origin) ─▶ fill ─▶ stored, or refused
///        └──▶ missing, another caller loads ─▶ retry
extension CacheClient {
    /// The right to fill a key, and the node that gave it. It is valid as long as its token.
    package struct FillRight: Hashable, Sendable {
        package let token: FillToken
        package let node: NodeID

        package init(_ token: FillToken, of node: NodeID) {
            self.token = token
            self.node = node
        }
    }

    package enum Finding: Sendable {
        case found(CachedValue)
        case right(FillRight)
        /// Another caller loads it. No other right is given until that load or this time ends.
        case wait(Duration)
        case nothing(StoreRefusal?)
    }

    /// Looks keys up, and takes the right to fill those that are missing.
    ///
    /// - Returns: for each key, in their order, what was found.
    package func find(
        _ keys: [CacheKey], in namespace: Namespace, options: ReadOptions
    ) async -> [Result<Finding, CacheError>] {
        await loader.find(keys, in: namespace, options)
    }

    /// Stores a value by the right to fill its key.
    ///
    /// - Throws: ``CacheError/Code/refused`` with the reason:
    ///   `StoreRefusal.invalidatedMeanwhile` if the value may be older than an
    ///   invalidation, `StoreRefusal.leaseVoid` or
    ///   `StoreRefusal.tokenTooOld` if the right is no longer valid.
    package func fill(
        _ item: StoreItem, in namespace: Namespace, by right: FillRight
    ) async throws(CacheError) -> StoreResult {
        try await loader.fill(item, in: namespace, by: right)
    }
}
