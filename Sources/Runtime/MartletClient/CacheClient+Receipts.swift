public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// Reports which nodes have applied the log up to and including a position.
    ///
    /// Use it for an invalidation that did not wait, or for a position from another client. A
    /// position in a finished epoch counts as applied by every node that follows a later epoch:
    /// such a node hides all that it held before. The question invalidates nothing.
    ///
    /// - Parameters:
    ///   - wait: what the publisher waits for before it answers; ``InvalidationWait/none`` returns
    ///     the current state.
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
