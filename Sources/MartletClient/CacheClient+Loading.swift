public import CacheModel
import CacheClientCore
import CacheWire
import Threading

extension CacheClient {
    /// The value under `key`: from the cache, or else from `origin` and into the cache.
    ///
    /// A miss gives one caller in the whole cluster the right to fill it; the others wait for that
    /// one, a bounded time. What is loaded is stored only if nothing that covers the key was
    /// invalidated since the miss; otherwise it is returned once and not stored. So a value read
    /// before an invalidation is never served after it.
    ///
    ///     get with TOKEN ─▶ hit ───────────────────────────────▶ value
    ///           │
    ///           ├─▶ miss, token ─▶ origin ─▶ fenced store ─────▶ value (refused: not stored)
    ///           ├─▶ miss, another loads ─▶ wait, ask again
    ///           └─▶ cache unreachable ─▶ origin ───────────────▶ value, not stored
    ///
    /// The cache never makes it fail: whatever goes wrong there, `origin` is asked, and
    /// ``CachedValue/notStored`` says what it was.
    ///
    /// - Parameter origin: reads the value from where it truly is; called at most once.
    /// - Throws: only what `origin` throws.
    public func load<Failure: Error>(
        _ key: CacheKey, in namespace: Namespace = .default, options: LoadOptions = LoadOptions(),
        from origin: (LoadContext) async throws(Failure) -> LoadedValue
    ) async throws(Failure) -> CachedValue {
        switch await claim(key, in: namespace, options) {
        case .found(let value): return value
        case .nothing(let error):
            let loaded = try await origin(LoadContext(willStore: false))
            return CachedValue(loaded, notStored: error)
        case .right(let right):
            let loaded = try await origin(LoadContext(willStore: true))
            let timeout = loaded.options.timeout ?? options.read.timeout
            return await fill(key, loaded, by: right, in: namespace, timeout: timeout)
        }
    }

    /// The right to fill a key, and the node that gave it.
    private struct Right {
        let token: FillToken
        let node: NodeID?
    }

    /// What a load may do.
    private enum Claim {
        case found(CachedValue)
        case right(Right)
        /// Use the origin once, without storing.
        case nothing(CacheError)
    }

    private func claim(
        _ key: CacheKey, in namespace: Namespace, _ options: LoadOptions
    ) async -> Claim {
        /// The end of the wait for another's load, once there is one.
        var waitsUntil: Instant?
        var patience = ClientLimits.loadPauseMin
        do throws(CacheError) {
            let deadline = try self.deadline(options.read.timeout)
            var reading = Reading(
                namespace: namespace, options: options.read, deadline: deadline,
                wantsToken: true)
            reading.options.allowsStale = options.allowsStale || options.read.allowsStale
            while true {
                let lookup = try await lookUp([key], reading)[0].get()
                switch lookup {
                case .found(let value, let token):
                    if !value.isStale || reading.options.allowsStale { return .found(value) }
                    if let token { return .right(Right(token: token, node: value.node)) }
                    return .nothing(
                        CacheError(.behind, "the cache has only a stale value and takes no other"))
                case .missing(let token?, _, let node):
                    return .right(Right(token: token, node: node))
                case .missing(nil, let retryAfter?, _):
                    waitsUntil = deadline
                    // Most loads are short: ask soon at first, then ever more rarely.
                    try await pause(min(retryAfter, patience), until: deadline)
                    patience = min(patience * 2, ClientLimits.loadPauseMax)
                case .missing(nil, nil, _):
                    return .nothing(CacheError(.refused, "the node gave no right to fill the key"))
                }
            }
        } catch {
            // The last question may find no time left to connect or to be answered in.
            let isOver =
                waitsUntil.map { end in
                    error.code == .timedOut || error.isUnreachable && end <= MonotonicClock.now
                } ?? false
            return .nothing(isOver ? Self.anotherLoads : error)
        }
    }

    private static var anotherLoads: CacheError {
        CacheError(.busy, "another caller is still loading the key; nothing was stored")
    }

    /// Waits for another caller's load.
    private func pause(_ duration: Duration, until deadline: Instant) async throws(CacheError) {
        let left = deadline.elapsed(since: MonotonicClock.now)
        guard left > .zero else { throw Self.anotherLoads }
        do {
            try await Task.sleep(
                for: min(
                    max(duration, ClientLimits.loadPauseMin),
                    min(left, ClientLimits.loadPauseMax)))
        } catch {
            throw CacheError(.cancelled, "the task that asked was cancelled")
        }
    }

    private func fill(
        _ key: CacheKey, _ loaded: LoadedValue, by right: Right, in namespace: Namespace,
        timeout: Duration?
    ) async -> CachedValue {
        do throws(CacheError) {
            let store = try Store(StoreItem(key, loaded.bytes, options: loaded.options))
            let target = Target(
                namespace: namespace, deadline: try deadline(timeout),
                placement: right.node.map { .node($0) } ?? .routed)
            let answer = try await send([.success(store.with(right.token))], target)[0].get()
            var value = CachedValue(loaded, notStored: nil)
            value.isFenced = !answer.flags.contains(.unfenced)
            value.position = answer.proof.position
            value.fillPosition = right.token.position
            return value
        } catch {
            return CachedValue(loaded, notStored: error)
        }
    }
}

extension CachedValue {
    fileprivate init(_ loaded: LoadedValue, notStored: CacheError?) {
        self.init(origin: loaded.bytes)
        version = loaded.options.version
        etag = loaded.options.etag
        tags = loaded.options.tags
        if case .after(let duration) = loaded.options.lifetime { timeToLive = duration }
        self.notStored = notStored
    }
}
