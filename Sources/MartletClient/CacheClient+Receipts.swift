public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Which nodes have obeyed what is in the log already, up to a position and including it.
    ///
    /// For whoever did not wait when it invalidated, or was told of a position by somebody else. A
    /// position in an epoch that is over counts as obeyed by every node that has followed into a
    /// later one, because that hides all it held before. Nothing is invalidated by asking.
    ///
    /// - Parameters:
    ///   - wait: what the publisher waits for before it answers; ``InvalidationWait/none`` tells
    ///     how things stand.
    ///   - timeout: how long it waits; `nil` takes the client's own.
    /// - Returns: the receipt, with the issuer of the record if the publisher knows it. An
    ///   incomplete one is no error.
    /// - Throws: ``CacheError/Code/refused`` if the log does not reach that far, or the publisher
    ///   is of a release that cannot be asked; ``CacheError/Code/disconnected`` or
    ///   ``CacheError/Code/timedOut`` if it does not answer.
    public func receipt(
        of position: LogPosition, wait: InvalidationWait = .all, timeout: Duration? = nil
    ) async throws(CacheError) -> InvalidationReceipt {
        let patience = timeout ?? configuration.timeout
        let deadline = try self.deadline(patience + ClientLimits.receiptGrace)
        let request = AwaitRequest(
            position: position, wait: WaitMode(wait),
            timeoutMilliseconds: UInt32(clamping: patience.wholeMilliseconds))
        var writer = ByteWriter(capacityBytes: 64)
        request.encode(requestID: 0, into: &writer)
        let attempt =
            wait == .none ? ClientLimits.attemptTimeout : patience + ClientLimits.receiptGrace / 2
        let frame = try await loop.ask(
            AdminRequest(
                .publisher, message: writer.array,
                schedule: RetrySchedule(
                    .read, deadline: deadline, seed: position.sequence.rawValue,
                    attemptTimeout: attempt)))
        return InvalidationReceipt(
            try Self.decode(frame, .receipt) { message throws(WireRefusal) in
                try Receipt(decoding: message)
            })
    }
}
