public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Has the publisher invalidate what the scopes cover bit by bit: one part of the keys after
    /// another, evenly over `span`.
    ///
    /// Returns when the order is kept – on the publisher's disk, if its log is there –, right
    /// before the first part. From then on it goes on without this client, also after a restart of
    /// the publisher. Until a key's turn has come it is served as before. ``pacedInvalidations``
    /// tells how far it is.
    ///
    /// - Parameters:
    ///   - scopes: 1 to 16 tags, prefixes, namespaces or everything; together at most 16 KiB.
    ///   - span: one second to seven days.
    /// - Throws: ``CacheError/Code/refused`` for what is outside of that, or if too many are
    ///   running or it could not be kept; nothing was begun then.
    ///   ``CacheError/Code/disconnected`` if the publisher cannot be reached, and
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
        request.operation = OperationID(
            high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
        return try await order(request, timeout: timeout)
    }

    /// The invalidations that take their time: those that run, and some that ended lately, the
    /// oldest first.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func pacedInvalidations(
        timeout: Duration? = nil
    ) async throws(CacheError) -> [PacedInvalidation] {
        try await ask(PaceRequest(.list), timeout: timeout)
    }

    /// Stops an invalidation that takes its time. What was hidden stays hidden. Asking again is
    /// harmless.
    ///
    /// - Returns: how far it came.
    /// - Throws: ``CacheError/Code/refused`` if none of that number runs, or if it was stopped and
    ///   that could not be kept: it goes on after a restart of the publisher then.
    ///   ``CacheError/Code/disconnected``, or ``CacheError/Code/timedOut``: it may have stopped.
    @discardableResult
    public func cancel(
        _ id: PacingID, timeout: Duration? = nil
    ) async throws(CacheError) -> PacedInvalidation {
        var request = PaceRequest(.cancel)
        request.id = id
        return try await order(request, timeout: timeout)
    }

    private func order(
        _ request: PaceRequest, timeout: Duration?
    ) async throws(CacheError) -> PacedInvalidation {
        guard let answer = try await ask(request, timeout: timeout).first else {
            throw CacheError(
                .protocolViolation, "the publisher told nothing of what it was ordered",
                mayHaveHappened: true)
        }
        return answer
    }

    /// Each of the three may be asked twice.
    private func ask(
        _ request: PaceRequest, timeout: Duration?
    ) async throws(CacheError) -> [PacedInvalidation] {
        let deadline = try self.deadline(timeout)
        var writer = ByteWriter(capacityBytes: 128)
        request.encode(requestID: 0, into: &writer)
        let frame = try await loop.ask(
            AdminRequest(
                .publisher, message: writer.array,
                schedule: RetrySchedule(
                    .repeatable, deadline: deadline, seed: request.operation.low)))
        let report = try Self.decode(frame, .pacingReport) { message throws(WireRefusal) in
            try PacingReport(decoding: message)
        }
        return report.lines.map(PacedInvalidation.init)
    }
}

extension PacedInvalidation {
    fileprivate init(_ line: PacingReport.Line) {
        self.init(
            id: line.id, state: State(line.state), scopes: line.scopes, strength: line.strength,
            isDurable: line.isDurable, span: .milliseconds(Int64(line.spanMilliseconds)),
            sliceCount: Int(line.sliceCount), doneCount: Int(line.doneCount),
            left: .milliseconds(Int64(line.leftMilliseconds)), first: Self.known(line.first),
            last: Self.known(line.last))
    }

    private static func known(_ position: LogPosition) -> LogPosition? {
        position == .none ? nil : position
    }
}

extension PacedInvalidation.State {
    fileprivate init(_ state: PacingReport.State) {
        switch state {
        case .running: self = .running
        case .over: self = .over
        case .cancelled: self = .cancelled
        }
    }
}
