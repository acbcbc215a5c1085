public import CacheModel
import ByteCoding
import CacheClientCore
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
        guard let span = tracer?.begin(.invalidate, count: scopes.count, for: trace) else {
            return try await order(scopes, wait, timeout, strength, trace)
        }
        return try await traced(span) { (trace) throws(CacheError) in
            try await order(scopes, wait, timeout, strength, trace)
        }
    }

    private func order(
        _ scopes: [Scope], _ wait: InvalidationWait, _ timeout: Duration?,
        _ strength: InvalidationRecord.Strength, _ trace: TraceContext?
    ) async throws(CacheError) -> InvalidationReceipt {
        let patience = timeout ?? configuration.timeout
        var request = InvalidateRequest(
            scopes: scopes, strength: strength, wait: WaitMode(wait),
            timeoutMilliseconds: UInt32(clamping: patience.wholeMilliseconds),
            operation: OperationID(
                high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max)))
        request.issuer = configuration.issuer
        request.trace = trace
        try Self.check(scopes)
        let question = try question(request, patience)
        let frame = try await loop.ask(question)
        let receipt = try Self.decode(frame, .receipt) { message throws(WireRefusal) in
            try Receipt(decoding: message)
        }
        loop.wasOrdered(at: receipt.position, in: question.session)
        return InvalidationReceipt(receipt)
    }

    private func question(
        _ request: InvalidateRequest, _ patience: Duration
    ) throws(CacheError) -> AdminRequest {
        let deadline = try self.deadline(patience + ClientLimits.receiptGrace)
        var writer = ByteWriter()
        request.encode(requestID: 0, into: &writer)
        guard writer.count <= InvalidationRecord.bytesMax else {
            throw CacheError(
                .invalidArgument,
                "an invalidation has at most 65536 bytes; use a tag or send several")
        }
        // While the publisher waits for nodes, a retry is useless.
        let attempt =
            request.wait == .none
            ? ClientLimits.attemptTimeout : patience + ClientLimits.receiptGrace / 2
        return AdminRequest(
            .publisher, message: writer.array,
            schedule: RetrySchedule(
                .repeatable, deadline: deadline, seed: request.operation.low,
                attemptTimeout: attempt))
    }

    private static func check(_ scopes: [Scope]) throws(CacheError) {
        guard (1...InvalidationRecord.scopesMax).contains(scopes.count) else {
            throw CacheError(
                .invalidArgument,
                "an invalidation has 1 to 1000 scopes, not \(scopes.count); send several")
        }
        guard scopes.allSatisfy(\.isMeaningful) else {
            throw CacheError(
                .invalidArgument,
                "a minimum version belongs to keys, a hash range to all others, and a prefix has "
                    + "1 to 4096 bytes")
        }
    }

    /// Reads the answer to a question.
    static func decode<Value>(
        _ frame: [UInt8], _ type: MessageType,
        _ body: (MessageView) throws(WireRefusal) -> Value
    ) throws(CacheError) -> Value {
        let result: Result<Value, WireRefusal> = frame.withUnsafeBytes { bytes in
            Result { () throws(WireRefusal) in
                let message = try MessageView(decoding: bytes)
                guard message.type == type else {
                    throw WireRefusal(.malformed, "it is of another type than was asked for")
                }
                return try body(message)
            }
        }
        do {
            return try result.get()
        } catch {
            throw CacheError(
                .protocolViolation, "the answer cannot be read: \(error.sentence)",
                mayHaveHappened: true)
        }
    }
}

extension WaitMode {
    init(_ wait: InvalidationWait) {
        self =
            switch wait {
            case .none: .none
            case .quorum: .quorum
            case .all: .all
            }
    }
}

extension InvalidationReceipt {
    init(_ receipt: Receipt) {
        self.init(
            position: receipt.position,
            wait: InvalidationWait(rawValue: receipt.wait.description) ?? .none,
            isComplete: receipt.isComplete,
            nearCacheDelay: .milliseconds(Int64(receipt.nearCacheMilliseconds)),
            applied: receipt.applied.map { Line(node: $0.node, elapsed: $0.elapsed) },
            expired: receipt.expired.map { Line(node: $0.node, elapsed: $0.elapsed) },
            pending: receipt.pending, issuer: receipt.issuer)
    }
}
