public import CacheModel
import CacheClientCore
import CacheWire
import Threading
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
            return try await fetch(key, namespace, options, origin)
        }
        var options = options
        options.read.trace = span.trace
        let result = await ServiceContext.withValue(span.context) {
            [options] () async -> Result<CachedValue, Failure> in
            do throws(Failure) {
                return .success(try await fetch(key, namespace, options, origin))
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

    private func fetch<Failure: Error>(
        _ key: CacheKey, _ namespace: Namespace, _ options: LoadOptions,
        _ origin: (LoadContext) async throws(Failure) -> LoadedValue
    ) async throws(Failure) -> CachedValue {
        var mayBeUnchanged = true
        while true {
            switch await claim(key, in: namespace, options) {
            case .found(let value): return value
            case .nothing(let error):
                let loaded = try await origin(LoadContext(willStore: false))
                precondition(!loaded.isUnchanged, Self.unchangedSentence)
                return CachedValue(loaded, notStored: error)
            case .right(let right):
                let context = mayBeUnchanged ? right.context : LoadContext(willStore: true)
                var filling = Filling(
                    key: key, right: right, namespace: namespace, timeout: options.read.timeout,
                    trace: options.read.trace)
                let loaded: LoadedValue
                do throws(Failure) {
                    loaded = try await origin(context)
                } catch {
                    giveBack(filling)
                    throw error
                }
                filling.timeout = loaded.options.timeout ?? filling.timeout
                guard loaded.isUnchanged else { return await fill(filling, with: loaded) }
                precondition(context.mayBeUnchanged, Self.unchangedSentence)
                if let value = await renew(filling, as: loaded, options.read) { return value }
                mayBeUnchanged = false
            }
        }
    }

    private static var unchangedSentence: String {
        "the origin was given nothing to compare with, so it cannot say that it is unchanged"
    }

    /// The right to fill a key, and the node that gave it.
    private struct Right {
        let token: FillToken
        let node: NodeID?
        /// The ETag and version that may be confirmed instead of a load.
        var context = LoadContext(willStore: true)

        init(token: FillToken, node: NodeID?) {
            self.token = token
            self.node = node
        }

        init?(_ missing: Missing) {
            guard let token = missing.token else { return nil }
            self.token = token
            node = missing.node
            context = LoadContext(
                willStore: true, etag: missing.etag, version: missing.version)
        }
    }

    /// A key that is about to be filled.
    private struct Filling {
        let key: CacheKey
        let right: Right
        let namespace: Namespace
        var timeout: Duration?
        let trace: TraceContext?
    }

    /// Tells the node that this client will not load the key under this right. The client does not
    /// wait for an answer, and a cancelled caller sends the message too.
    private func giveBack(_ filling: Filling) {
        let right = Store(returning: filling.right.token, of: filling.key)
        let deadline = MonotonicClock.now.advanced(by: ClientLimits.lateRightMax)
        loop.submit(
            right.request(in: filling.namespace, at: filling.right.node, deadline: deadline))
    }

    /// What a load may do next.
    private enum Claim {
        case found(CachedValue)
        case right(Right)
        /// Use the origin once, without storing.
        case nothing(CacheError)
    }

    private func claim(
        _ key: CacheKey, in namespace: Namespace, _ options: LoadOptions
    ) async -> Claim {
        /// The end of the wait for another caller's load; `nil` before the wait.
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
                    if !value.isStale || value.isTolerated || reading.options.allowsStale {
                        return .found(value)
                    }
                    if let token, takesUp(token) {
                        return .right(Right(token: token, node: value.node))
                    }
                    return .nothing(
                        CacheError(.behind, "the cache has only a stale value and takes no other"))
                case .missing(let missing):
                    if let right = Right(missing), takesUp(right.token) { return .right(right) }
                    // A lease that another load of this client holds means that another caller
                    // loads.
                    let wait = missing.retryAfter ?? missing.token.map { _ in patience }
                    guard let retryAfter = wait else {
                        let reason = missing.refusal.map { ": \($0.sentence)" } ?? ""
                        return .nothing(
                            CacheError(
                                .refused, "the node gave no right to fill the key\(reason)",
                                refusal: missing.refusal))
                    }
                    waitsUntil = deadline
                    // Most loads are short: retry soon at first, then with longer pauses.
                    try await pause(min(retryAfter, patience), until: deadline)
                    patience = min(patience * 2, ClientLimits.loadPauseMax)
                }
            }
        } catch {
            // The last retry may not have enough time left to connect or to get an answer.
            let isOver =
                waitsUntil.map { end in
                    error.code == .timedOut || error.isUnreachable && end <= MonotonicClock.now
                } ?? false
            return .nothing(isOver ? Self.anotherLoads : error)
        }
    }

    /// Whether this load is the first of this client that got the lease of a token.
    func takesUp(_ token: FillToken) -> Bool {
        loop.takesUp(token)
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

    private func fill(_ filling: Filling, with loaded: LoadedValue) async -> CachedValue {
        do throws(CacheError) {
            let store = try Store(StoreItem(filling.key, loaded.bytes, options: loaded.options))
            let answer = try await send(store, filling)
            var value = CachedValue(loaded, notStored: nil)
            value.isFenced = !answer.flags.contains(.unfenced)
            value.position = answer.proof.position
            value.fillPosition = filling.right.token.position
            return value
        } catch {
            // A node that refuses a store ends the lease. After another failure the lease may still
            // exist, also after a refused chunk, which has no token.
            if error.refusal == nil || loaded.bytes.count > WireLimits.chunkBytesMax {
                giveBack(filling)
            }
            return CachedValue(loaded, notStored: error)
        }
    }

    /// Tells the node that its entry is still valid, and reads the entry.
    ///
    /// - Returns: `nil` if this came too late: the value has to be loaded whole.
    private func renew(
        _ filling: Filling, as loaded: LoadedValue, _ options: ReadOptions
    ) async -> CachedValue? {
        do throws(CacheError) {
            var store = try Store(StoreItem(filling.key, [], options: loaded.options))
            store.renews(etag: filling.right.context.etag, version: filling.right.context.version)
            _ = try await send(store, filling)
            var options = options
            options.node = filling.right.node
            options.allowsStale = true
            options.timeout = filling.timeout
            return try await get(filling.key, in: filling.namespace, options: options)
        } catch {
            if error.refusal == nil { giveBack(filling) }
            return nil
        }
    }

    private func send(
        _ store: Store, _ filling: Filling
    ) async throws(CacheError) -> OperationAnswer {
        let target = Target(
            namespace: filling.namespace, deadline: try deadline(filling.timeout),
            placement: filling.right.node.map { .node($0) } ?? .routed, trace: filling.trace)
        return try await send([.success(store.with(filling.right.token))], target)[0].get()
    }
}

extension CachedValue {
    fileprivate init(_ loaded: LoadedValue, notStored: CacheError?) {
        self.init(origin: loaded.bytes)
        version = loaded.options.version
        etag = loaded.options.etag
        tags = loaded.options.tags
        representation = loaded.options.representation
        if case .after(let duration) = loaded.options.lifetime { timeToLive = duration }
        self.notStored = notStored
        isOvertaken = notStored?.refusal == .invalidatedMeanwhile
    }
}
