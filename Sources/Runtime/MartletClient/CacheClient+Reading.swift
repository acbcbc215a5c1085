public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

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
        if let tracer { return try await tracedGet(key, namespace, options, tracer) }
        let reading = Reading(
            namespace: namespace, options: options, deadline: try deadline(options.timeout))
        let ending =
            options.isPlain
            ? await loop.read(key, in: namespace, reading.flags, deadline: reading.deadline)
            : .untried
        switch ending {
        case .found(let value): return value
        case .missing: return nil
        default: return try await goOn(ending, key, reading)
        }
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
        else { return await lookUpAll(keys, in: namespace, options) }
        var options = options
        options.trace = span.trace
        let results = await lookUpAll(keys, in: namespace, options)
        span.end(with: results)
        return results
    }

    private func lookUpAll(
        _ keys: [CacheKey], in namespace: Namespace, _ options: ReadOptions
    ) async -> [Result<CachedValue?, CacheError>] {
        let deadline: Instant
        do throws(CacheError) {
            deadline = try self.deadline(options.timeout)
            try Self.checkCount(keys.count)
        } catch {
            return keys.map { _ in .failure(error) }
        }
        let reading = Reading(namespace: namespace, options: options, deadline: deadline)
        let lookups = await lookUp(keys, reading)
        return lookups.map { value($0, reading) }
    }

    /// Turns a lookup into the result of a get.
    func value(
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

    static func checkCount(_ count: Int) throws(CacheError) {
        guard count <= ClientLimits.operationsPerCallMax else {
            throw CacheError(
                .invalidArgument,
                "one call takes at most \(ClientLimits.operationsPerCallMax) keys; split it")
        }
    }

    /// What the reads of one call share.
    struct Reading {
        var namespace: Namespace
        var options: ReadOptions
        var deadline: Instant
        /// Whether a miss should give the right to fill it.
        var wantsToken = false

        var flags: GetOperation.Options {
            var flags: GetOperation.Options = wantsToken ? .token : []
            if options.wantsDetails { flags.formUnion(.details) }
            if options.allowsStale { flags.formUnion(.allowStale) }
            return flags
        }
    }

    /// What a read found.
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

    func lookUp(
        _ keys: [CacheKey], _ reading: Reading
    ) async -> [Result<Lookup, CacheError>] {
        let flags = reading.flags
        let operations = keys.map { key in
            DataRequest.Operation(
                route: RouteHash(of: key.bytes, in: reading.namespace),
                body: Self.getBody(key, flags))
        }
        let request = DataRequest(
            envelope(reading), placement: reading.options.node.map { .node($0) } ?? .routed,
            deadline: reading.deadline, operations: operations)
        request.wantsToken = reading.wantsToken
        await loop.perform(request)
        return await conclude(request, keys, reading)
    }

    /// Looks a key up once more, after a plain get that failed.
    func lookUp(
        _ key: CacheKey, _ reading: Reading, after attempt: FailedAttempt
    ) async -> Result<Lookup, CacheError> {
        let operation = DataRequest.Operation(
            route: RouteHash(of: key.bytes, in: reading.namespace),
            body: Self.getBody(key, reading.flags))
        let request = DataRequest(envelope(reading), operation, after: attempt)
        await loop.perform(request)
        return await conclude(request.progress[0].outcome, key, reading)
    }

    private func conclude(
        _ request: DataRequest, _ keys: [CacheKey], _ reading: Reading
    ) async -> [Result<Lookup, CacheError>] {
        var lookups: [Result<Lookup, CacheError>] = []
        for (key, progress) in zip(keys, request.progress) {
            lookups.append(await conclude(progress.outcome, key, reading))
        }
        return lookups
    }

    private func envelope(_ reading: Reading) -> Envelope {
        // Read before the session: so the session is of this cluster, or of none after a change.
        let cluster = loop.cluster
        let demand = loop.position.demand(
            reading.options.atLeast, readsYourWrites: configuration.readsYourWrites,
            readsMonotonically: configuration.readsMonotonically)
        let options = reading.options
        return Envelope(
            type: .get, namespace: reading.namespace, atLeast: demand,
            atLeastCluster: options.atLeastCluster,
            sessionCluster: options.atLeast == nil ? cluster : .none,
            isFresh: options.isFresh, policy: options.policy,
            maxAgeMilliseconds: options.maxAge.map { UInt32(clamping: $0.wholeMilliseconds) },
            maxStaleMilliseconds: options.maxStale.map { UInt32(clamping: $0.wholeMilliseconds) },
            trace: options.trace)
    }

    private static func getBody(
        _ key: CacheKey, _ flags: GetOperation.Options, _ part: GetOperation.Part? = nil
    ) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: key.bytes.count + 20)
        key.bytes.withUnsafeBytes {
            GetOperation.append(key: $0, options: flags, part: part, to: &writer)
        }
        return writer.array
    }

    func conclude(
        _ outcome: DataRequest.Outcome?, _ key: CacheKey, _ reading: Reading
    ) async -> Result<Lookup, CacheError> {
        do throws(CacheError) {
            let answer = try Self.answer(outcome)
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

    static func answer(_ outcome: DataRequest.Outcome?) throws(CacheError) -> OperationAnswer {
        switch outcome {
        case .answered(let answer): return answer
        case .failed(let error): throw error
        case nil: preconditionFailure("an operation is settled before its caller goes on")
        }
    }
}

// MARK: Large values

extension CacheClient {
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
            let request = DataRequest(
                envelope(reading), placement: reading.options.node.map { .node($0) } ?? .routed,
                deadline: reading.deadline,
                operations: [
                    DataRequest.Operation(
                        route: RouteHash(of: key.bytes, in: reading.namespace),
                        body: Self.getBody(key, reading.flags))
                ])
            request.wantsToken = reading.wantsToken
            await loop.perform(request)
            let answer = try Self.answer(request.progress[0].outcome)
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
            let offsets = stride(
                from: value.bytes.count, to: whole.totalBytes, by: WireLimits.chunkBytesMax
            ).prefix(ClientLimits.partsInFlightMax)
            let operations = offsets.map { offset in
                let length = min(WireLimits.chunkBytesMax, whole.totalBytes - offset)
                let part = GetOperation.Part(
                    identity: whole.identity, offset: UInt32(offset), length: UInt32(length))
                return DataRequest.Operation(
                    route: RouteHash(of: key.bytes, in: reading.namespace),
                    body: Self.getBody(key, reading.flags.subtracting([.token, .details]), part),
                    replyBytes: length)
            }
            let request = DataRequest(
                envelope(reading), placement: first.node.map { .node($0) } ?? .routed,
                deadline: reading.deadline, operations: operations)
            await loop.perform(request)
            for (offset, progress) in zip(offsets, request.progress) {
                let answer = try Self.answer(progress.outcome)
                switch answer.status {
                case .hit, .stale: break
                case .changed, .miss, nil: return nil
                default: throw CacheError(answer)
                }
                let length = min(WireLimits.chunkBytesMax, whole.totalBytes - offset)
                guard answer.value.count == length else {
                    throw CacheError(
                        .protocolViolation, "a part of a value has another length than asked for")
                }
                value.bytes += answer.value
            }
        }
        return value
    }
}
