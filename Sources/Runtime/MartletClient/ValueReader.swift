import CacheClientCore
import CacheModel
import CacheWire

/// Reads values from nodes: gets, lookups with a load lease, parts of large values, prefetches.
///
///     get ─▶ fast path of one key (docs/decisions/0047) ─▶ value, miss
///                └─ untried, failed, first part ─┐
///     lookUp ────────────────────────────────────┴─▶ send ─▶ loop ─▶ conclude
///                                              parts, prefetch ─▶ send
///
/// Every GET beside the fast path is a request of ``send(_:_:to:after:)``.
struct ValueReader: Sendable {
    let loop: ClientLoop
    let tracer: ClientTracer?

    struct Reading: Sendable {
        var namespace: Namespace
        var options: ReadOptions
        var deadline: Instant
        /// Whether a miss should give the right to fill it.
        var wantsToken = false
        /// Whether no caller waits for the value: the session demands nothing of it.
        var isPrefetch = false

        var flags: GetOperation.Options {
            guard !isPrefetch else { return .prefetch }
            var flags: GetOperation.Options = wantsToken ? .token : []
            if options.wantsDetails { flags.formUnion(.details) }
            if options.allowsStale { flags.formUnion(.allowStale) }
            return flags
        }

        /// The reading of the later parts of a value.
        var ofParts: Reading {
            var reading = self
            reading.wantsToken = false
            reading.options.wantsDetails = false
            return reading
        }
    }

    enum Lookup {
        /// With a token if this caller may also refresh the value.
        case found(CachedValue, FillToken?)
        case missing(Missing)
    }

    /// The details of a read that found no value to show.
    struct Missing {
        var token: FillToken?
        var retryAfter: Duration?
        var node: NodeID?
        /// Why the node gave no right to fill the key, if it says so.
        var refusal: StoreRefusal?
        /// ETag of an entry that exists but is hidden until the origin confirms it.
        var etag: Validator?
        var version: Version

        init(_ answer: OperationAnswer) {
            token = answer.fields.token
            retryAfter = answer.retryAfter
            node = answer.node
            etag = answer.fields.etag
            version = answer.fields.version
            refusal = StoreRefusal(rawValue: answer.detail)
        }
    }

    // MARK: One key

    /// The value of a key; `nil` without one. If the tracer does not record the read, it may use
    /// the fast path.
    func get(
        _ key: CacheKey, in namespace: Namespace, _ options: ReadOptions
    ) async throws(CacheError) -> CachedValue? {
        guard let span = tracer?.begin(.get, in: namespace, for: options.trace) else {
            return try await value(of: key, reading(in: namespace, options))
        }
        var options = options
        options.trace = span.trace
        do throws(CacheError) {
            let value = try await value(of: key, reading(in: namespace, options))
            span.end(with: value)
            return value
        } catch {
            span.end(with: error)
            throw error
        }
    }

    /// Inlined, so that the fast path has no further call.
    @inline(__always)
    private func value(
        of key: CacheKey, _ reading: Reading
    ) async throws(CacheError) -> CachedValue? {
        let ending =
            reading.options.isPlain
            ? await loop.read(
                key, in: reading.namespace, reading.flags, deadline: reading.deadline) : .untried
        switch ending {
        case .found(let value): return value
        case .missing: return nil
        default: return try await value(of: key, reading, after: ending)
        }
    }

    private func value(
        of key: CacheKey, _ reading: Reading, after ending: ReadEnding
    ) async throws(CacheError) -> CachedValue? {
        let lookup: Result<Lookup, CacheError>
        switch ending {
        case .found(let value): return value
        case .missing: return nil
        case .failed(let error): lookup = .failure(error)
        case .firstPart(let answer): lookup = await conclude(.answered(answer), key, reading)
        case .again(let attempt): lookup = await lookUp([key], reading, after: attempt)[0]
        case .untried: lookup = await lookUp([key], reading)[0]
        }
        return try Self.value(lookup, reading).get()
    }

    // MARK: Several keys

    func get(
        _ keys: [CacheKey], in namespace: Namespace, _ options: ReadOptions
    ) async -> [Result<CachedValue?, CacheError>] {
        let reading: Reading
        do throws(CacheError) {
            reading = try self.reading(keys, in: namespace, options)
        } catch {
            return keys.map { _ in .failure(error) }
        }
        return await lookUp(keys, reading).map { Self.value($0, reading) }
    }

    func reading(
        _ keys: [CacheKey], in namespace: Namespace, _ options: ReadOptions,
        wantsToken: Bool = false
    ) throws(CacheError) -> Reading {
        var reading = try reading(in: namespace, options)
        reading.wantsToken = wantsToken
        try DataRequest.check(count: keys.count)
        return reading
    }

    @inline(__always)
    private func reading(
        in namespace: Namespace, _ options: ReadOptions
    ) throws(CacheError) -> Reading {
        Reading(
            namespace: namespace, options: options, deadline: try loop.deadline(options.timeout))
    }

    private static func value(
        _ lookup: Result<Lookup, CacheError>, _ reading: Reading
    ) -> Result<CachedValue?, CacheError> {
        switch lookup {
        case .success(.found(let value, _)): .success(value)
        case .success(.missing): .success(nil)
        case .failure(let error):
            reading.options.treatsUnreachableAsMiss && error.isUnreachable
                ? .success(nil) : .failure(error)
        }
    }

    /// Looks keys up.
    ///
    /// - Parameter attempt: of the only key, on the fast path.
    /// - Returns: for each key, in their order, what was found.
    func lookUp(
        _ keys: [CacheKey], _ reading: Reading, after attempt: FailedAttempt? = nil
    ) async -> [Result<Lookup, CacheError>] {
        let outcomes = await send(keys.map { $0.get(reading) }, reading, after: attempt)
        var lookups: [Result<Lookup, CacheError>] = []
        for (key, outcome) in zip(keys, outcomes) {
            lookups.append(await conclude(outcome, key, reading))
        }
        return lookups
    }

    /// Sends GET operations that share an envelope, and waits for their outcomes.
    ///
    /// - Parameter placement: `nil` asks the node of the options, or else the owners.
    private func send(
        _ operations: [DataRequest.Operation], _ reading: Reading,
        to placement: DataRequest.Placement? = nil, after attempt: FailedAttempt? = nil
    ) async -> [DataRequest.Outcome?] {
        let request = request(operations, reading, to: placement)
        if let attempt { request.goOn(after: attempt) }
        await loop.perform(request)
        return request.progress.map(\.outcome)
    }

    private func request(
        _ operations: [DataRequest.Operation], _ reading: Reading,
        to placement: DataRequest.Placement?
    ) -> DataRequest {
        let request = DataRequest(
            envelope(reading),
            placement: placement ?? reading.options.node.map { .node($0) } ?? .routed,
            deadline: reading.deadline, operations: operations,
            attemptTimeout: reading.isPrefetch
                ? ClientLimits.prefetchAttemptTimeout : ClientLimits.attemptTimeout)
        request.wantsToken = reading.wantsToken
        return request
    }

    private func envelope(_ reading: Reading) -> Envelope {
        let options = reading.options
        var envelope = Envelope(type: .get, namespace: reading.namespace)
        envelope.maxAgeMilliseconds = options.maxAge.map { UInt32(clamping: $0.wholeMilliseconds) }
        envelope.isPrefetch = reading.isPrefetch
        guard !reading.isPrefetch else { return envelope }
        // Read before the session: so the session is of this cluster, or of none after a change.
        let cluster = loop.cluster
        envelope.atLeast = loop.demand(options.atLeast)
        envelope.atLeastCluster = options.atLeastCluster
        envelope.sessionCluster = options.atLeast == nil ? cluster : .none
        envelope.isFresh = options.isFresh
        envelope.policy = options.policy
        envelope.maxStaleMilliseconds = options.maxStale.map {
            UInt32(clamping: $0.wholeMilliseconds)
        }
        envelope.trace = options.trace
        return envelope
    }

    private func conclude(
        _ outcome: DataRequest.Outcome?, _ key: CacheKey, _ reading: Reading
    ) async -> Result<Lookup, CacheError> {
        do throws(CacheError) {
            let answer = try DataRequest.answer(outcome)
            switch answer.status {
            case .hit, .stale:
                guard let whole = answer.fields.whole else {
                    return .success(.found(CachedValue(answer), answer.fields.token))
                }
                return .success(try await fetch(whole, of: answer, key, reading))
            case .miss, nil:
                return .success(.missing(Missing(answer)))
            default: throw CacheError(answer)
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: Large values

    /// Fetches the rest of a value that is larger than a frame. If the entry changes meanwhile, it
    /// starts again.
    private func fetch(
        _ whole: ResultFields.Whole, of first: OperationAnswer, _ key: CacheKey,
        _ reading: Reading
    ) async throws(CacheError) -> Lookup {
        if let value = try await parts(of: whole, after: first, key, reading) {
            return .found(value, first.fields.token)
        }
        for _ in 0..<ClientLimits.restartsMax {
            let answer = try DataRequest.answer(await send([key.get(reading)], reading)[0])
            guard answer.status == .hit || answer.status == .stale else {
                return .missing(Missing(answer))
            }
            guard let whole = answer.fields.whole else { return .found(CachedValue(answer), nil) }
            if let value = try await parts(of: whole, after: answer, key, reading) {
                return .found(value, answer.fields.token)
            }
        }
        throw CacheError(.busy, "the value changes faster than it can be read; try again")
    }

    /// - Returns: `nil` if the entry was replaced.
    private func parts(
        of whole: ResultFields.Whole, after first: OperationAnswer, _ key: CacheKey,
        _ reading: Reading
    ) async throws(CacheError) -> CachedValue? {
        guard whole.totalBytes <= WireLimits.valueBytesMax,
            first.value.count <= whole.totalBytes
        else {
            throw CacheError(.protocolViolation, "a node announced a value of impossible length")
        }
        var value = CachedValue(first)
        value.bytes.reserveCapacity(whole.totalBytes)
        while value.bytes.count < whole.totalBytes {
            let parts = stride(
                from: value.bytes.count, to: whole.totalBytes, by: WireLimits.chunkBytesMax
            ).prefix(ClientLimits.partsInFlightMax).map { offset in
                GetOperation.Part(
                    identity: whole.identity, offset: UInt32(offset),
                    length: UInt32(min(WireLimits.chunkBytesMax, whole.totalBytes - offset)))
            }
            let outcomes = await send(
                parts.map { key.get(reading.ofParts, $0) }, reading.ofParts,
                to: first.node.map { .node($0) } ?? .routed)
            for (part, outcome) in zip(parts, outcomes) {
                let answer = try DataRequest.answer(outcome)
                switch answer.status {
                case .hit, .stale: break
                case .changed, .miss, nil: return nil
                default: throw CacheError(answer)
                }
                guard answer.value.count == Int(part.length) else {
                    throw CacheError(
                        .protocolViolation, "a part of a value has another length than asked for")
                }
                value.bytes += answer.value
            }
        }
        return value
    }

    // MARK: Prefetches

    func prefetch(
        _ key: CacheKey, in namespace: Namespace, _ options: PrefetchOptions
    ) async -> PrefetchEnding {
        do throws(CacheError) {
            var read = ReadOptions()
            read.maxAge = options.maxAge
            let reading = Reading(
                namespace: namespace, options: read, deadline: try loop.deadline(options.timeout),
                isPrefetch: true)
            let topology = try await loop.topology(deadline: reading.deadline)
            let placements = options.node.map { [.node($0)] } ?? topology.placements
            let requests = placements.map { request([key.get(reading)], reading, to: $0) }
            await loop.perform(requests)
            return PrefetchEnding(requests.map { PrefetchEnding($0.progress[0].outcome) })
        } catch {
            return PrefetchEnding(error)
        }
    }
}

extension CacheKey {
    fileprivate func get(
        _ reading: ValueReader.Reading, _ part: GetOperation.Part? = nil
    ) -> DataRequest.Operation {
        DataRequest.Operation(of: self, in: reading.namespace, replyBytes: Int(part?.length ?? 0)) {
            GetOperation.append(key: $0, options: reading.flags, part: part, to: &$1)
        }
    }
}
