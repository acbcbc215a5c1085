import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// Loads values: looks a key up, takes the right to fill it, stores what the origin returned.
///
///     claim ─▶ found
///       ├──▶ right ─▶ origin ─▶ fill, renew, or give the right back
///       └──▶ nothing ─▶ origin, without a store
struct ValueLoader: Sendable {
    let reader: ValueReader
    let writer: ValueWriter

    private var loop: ClientLoop { reader.loop }

    /// The value of a key from the cache, or else from `origin`.
    ///
    /// - Throws: only what `origin` throws.
    func load<Failure: Error>(
        _ key: CacheKey, in namespace: Namespace, _ options: LoadOptions,
        from origin: (LoadContext) async throws(Failure) -> LoadedValue
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

    private struct Right {
        let token: FillToken
        let node: NodeID?
        /// The ETag and version that may be confirmed instead of a load.
        var context = LoadContext(willStore: true)

        init(token: FillToken, node: NodeID?) {
            self.token = token
            self.node = node
        }

        init?(_ missing: ValueReader.Missing) {
            guard let token = missing.token else { return nil }
            self.token = token
            node = missing.node
            context = LoadContext(
                willStore: true, etag: missing.etag, version: missing.version)
        }
    }

    private struct Filling {
        let key: CacheKey
        let right: Right
        let namespace: Namespace
        var timeout: Duration?
        let trace: TraceContext?
    }

    // MARK: Claims

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
            let deadline = try loop.deadline(options.read.timeout)
            var reading = ValueReader.Reading(
                namespace: namespace, options: options.read, deadline: deadline,
                wantsToken: true)
            reading.options.allowsStale = options.allowsStale || options.read.allowsStale
            while true {
                switch try await reader.lookUp([key], reading)[0].get() {
                case .found(let value, let token):
                    if !value.isStale || value.isTolerated || reading.options.allowsStale {
                        return .found(value)
                    }
                    if let token, loop.takesUp(token) {
                        return .right(Right(token: token, node: value.node))
                    }
                    return .nothing(
                        CacheError(.behind, "the cache has only a stale value and takes no other"))
                case .missing(let missing):
                    if let right = Right(missing), loop.takesUp(right.token) {
                        return .right(right)
                    }
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

    private static var anotherLoads: CacheError {
        CacheError(.busy, "another caller is still loading the key; nothing was stored")
    }

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

    // MARK: Rights of callers without a closure

    func find(
        _ keys: [CacheKey], in namespace: Namespace, _ options: ReadOptions
    ) async -> [Result<CacheClient.Finding, CacheError>] {
        let reading: ValueReader.Reading
        do throws(CacheError) {
            reading = try reader.reading(keys, in: namespace, options, wantsToken: true)
        } catch {
            return keys.map { _ in .failure(error) }
        }
        return await reader.lookUp(keys, reading).map { lookup in lookup.map { finding($0) } }
    }

    private func finding(_ lookup: ValueReader.Lookup) -> CacheClient.Finding {
        switch lookup {
        case .found(let value, _): return .found(value)
        case .missing(let missing):
            if let token = missing.token, let node = missing.node {
                // After a retry, another load of this client may hold the same lease.
                return loop.takesUp(token)
                    ? .right(CacheClient.FillRight(token, of: node))
                    : .wait(ClientLimits.loadPauseMax)
            }
            return missing.retryAfter.map { .wait($0) } ?? .nothing(missing.refusal)
        }
    }

    func fill(
        _ item: StoreItem, in namespace: Namespace, by right: CacheClient.FillRight
    ) async throws(CacheError) -> StoreResult {
        let deadline = try loop.deadline(item.options.timeout)
        let topology = try await loop.topology(deadline: deadline)
        guard topology.index(of: right.node) != nil else {
            throw CacheError(
                .refused, "the node that gave the right is not in the cluster any more",
                refusal: .tokenTooOld)
        }
        let target = ValueWriter.Target(
            namespace: namespace, deadline: deadline, placement: .node(right.node),
            trace: item.options.trace)
        return StoreResult(try await writer.send(try Store(item).with(right.token), target))
    }

    // MARK: Fills

    /// Tells the node that this client will not load the key under this right. The client does not
    /// wait for an answer, and a cancelled caller sends the message too.
    private func giveBack(_ filling: Filling) {
        let right = Store(returning: filling.right.token, of: filling.key)
        let deadline = MonotonicClock.now.advanced(by: ClientLimits.lateRightMax)
        let request = right.request(
            in: filling.namespace, at: filling.right.node, deadline: deadline)
        _ = loop.inbox.post(.data(request))
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
            return try await reader.get(filling.key, in: filling.namespace, options)
        } catch {
            if error.refusal == nil { giveBack(filling) }
            return nil
        }
    }

    private func send(
        _ store: Store, _ filling: Filling
    ) async throws(CacheError) -> OperationAnswer {
        let target = ValueWriter.Target(
            namespace: filling.namespace, deadline: try loop.deadline(filling.timeout),
            placement: filling.right.node.map { .node($0) } ?? .routed, trace: filling.trace)
        return try await writer.send(store.with(filling.right.token), target)
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
