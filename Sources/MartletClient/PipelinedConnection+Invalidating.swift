import ByteCoding
import CacheModel
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Invalidates a key; the publisher's receipt comes with `tag`.
    ///
    /// - Precondition: the options say how to invalidate.
    /// - Returns: `false` if the window to the publisher is full: take completions first.
    package mutating func submitInvalidate(key: UnsafeRawBufferPointer, tag: UInt32) -> Bool {
        guard let publisher, let wanted = options.invalidations else {
            preconditionFailure("who invalidates says how when the connection is made")
        }
        let isFull = publisher.invalidations.writer.count + key.count > Self.recordRoom
        if publisher.invalidations.place != nil, isFull { flushInvalidations() }
        if publisher.invalidations.place == nil {
            guard let (place, id) = invalidations.claim() else { return false }
            // The namespace stands in every scope instead.
            publisher.invalidations.begin(
                at: place, requestID: id, in: .default, of: topology.cluster)
            InvalidateRequest.appendHead(
                wait: wanted.waitsForAll ? .all : .none, timeout: wanted.timeout,
                to: &publisher.invalidations.writer)
        }
        guard let place = publisher.invalidations.place else { return false }
        Scope.append(key: key, in: options.namespace, to: &publisher.invalidations.writer)
        invalidations.note(tag, at: place, index: publisher.invalidations.count)
        publisher.invalidations.added()
        if publisher.invalidations.count == wanted.batch { flushInvalidations() }
        return true
    }

    /// A record has at most 65 536 bytes: one more scope fits as long as it has no more than this.
    private static let recordRoom = 60_000

    /// Whether ``submitInvalidate(key:tag:)`` would take any key now, also one that the message
    /// being filled has no room for.
    package var canInvalidate: Bool {
        guard invalidations.isFull, let publisher else { return true }
        return publisher.invalidations.place != nil
            && publisher.invalidations.writer.count + CacheKey.bytesMax <= Self.recordRoom
    }

    /// Sends the invalidation that is not full yet.
    package mutating func flushInvalidations() {
        guard let publisher, let place = publisher.invalidations.seal() else { return }
        invalidations.sent(place, count: publisher.invalidations.count, at: MonotonicClock.now)
        if !Self.isSent(publisher.invalidations, over: publisher) { invalidations.lose(place) }
    }

    /// Hands out what a receipt says of every key of its invalidation.
    ///
    /// - Returns: how many keys there were.
    mutating func completeInvalidation(_ body: (PipelinedCompletion) -> Void) -> Int {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            guard let (place, held) = invalidations.close(requestID: message.requestID)
            else { return 0 }
            let (outcome, position) = Self.outcome(of: message)
            for index in 0..<held.count {
                body(
                    PipelinedCompletion(
                        invalidations.operation(index, at: place, of: held), outcome,
                        position: position))
            }
            return held.count
        } catch {
            // Whose answer it was cannot be told; it is given up in its time.
            return 0
        }
    }

    private static func outcome(of message: MessageView) -> (PipelinedOutcome, LogPosition) {
        guard message.type == .receipt else {
            return (PipelinedOutcome(instead: message), .none)
        }
        do {
            let receipt = try Receipt(decoding: message)
            // A publisher whose log is in memory can lose what nobody has applied yet.
            let isSure = receipt.wait == .none || !receipt.applied.isEmpty
            return (receipt.isComplete && isSure ? .invalidated : .unconfirmed, receipt.position)
        } catch {
            return (.refused, .none)
        }
    }
}
