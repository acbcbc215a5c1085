public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Invalidates what the scopes cover in slices: one part of the keys after another, evenly over
    /// `span`.
    ///
    /// Returns when the publisher has recorded the order – on its disk, if its log is there –,
    /// right before the first slice. From then on the publisher continues without this client, also
    /// after a restart. A key is served as before until its slice is invalidated.
    /// ``pacedInvalidations`` reports the progress.
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
        request.operation = OperationID(
            high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
        return try await order(request, timeout: timeout)
    }

    /// The paced invalidations: those that run, and some that ended lately, oldest first.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func pacedInvalidations(
        timeout: Duration? = nil
    ) async throws(CacheError) -> [PacedInvalidation] {
        try await ask(PaceRequest(.list), timeout: timeout)
    }

    /// Stops a paced invalidation. Keys that were already hidden stay hidden. Repeating the call is
    /// harmless.
    ///
    /// - Returns: its progress at the stop.
    /// - Throws: ``CacheError/Code/refused`` if none with that number runs, or if the stop could
    ///   not be recorded: then it continues after a restart of the publisher.
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

    /// All three requests are safe to retry.
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
