import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Invalidates a key; the completion for the publisher's receipt carries `tag`.
    ///
    /// - Precondition: the options say how to invalidate.
    /// - Returns: `false` if the window to the publisher is full: take completions first.
    package mutating func submitInvalidate(key: UnsafeRawBufferPointer, tag: UInt32) -> Bool {
        if isFull(for: key.count) { flushInvalidations() }
        // The flush may have replaced the publisher.
        guard let publisher, let wanted = options.invalidations else {
            preconditionFailure("the options of this connection say how to invalidate")
        }
        if publisher.invalidations.place == nil {
            guard let (place, id) = invalidations.claim() else { return false }
            // Every scope contains its namespace instead.
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

    /// A record has at most 65 536 bytes: below this, one more scope always fits.
    private static let recordRoom = 60_000

    /// Whether the message being filled has no room for a key of so many bytes.
    private func isFull(for keyBytes: Int) -> Bool {
        guard let publisher, publisher.invalidations.place != nil else { return false }
        return publisher.invalidations.writer.count + keyBytes > Self.recordRoom
    }

    /// Whether ``submitInvalidate(key:tag:)`` would accept any key now, even one that does not fit
    /// the message being filled.
    package var canInvalidate: Bool {
        guard invalidations.isFull, let publisher else { return true }
        return publisher.invalidations.place != nil && !isFull(for: CacheKey.bytesMax)
    }

    package mutating func flushInvalidations() {
        guard let publisher, let place = publisher.invalidations.seal() else { return }
        invalidations.sent(place, count: publisher.invalidations.count, at: MonotonicClock.now)
        guard !Self.isSent(publisher.invalidations, over: publisher) else { return }
        invalidations.lose(place)
        publisherFellSilent(at: MonotonicClock.now)
    }

    // MARK: Several publishers

    /// The publisher answers that it does not lead.
    private mutating func publisherDenied(naming other: String?, at now: Instant) {
        guard let publisher, now >= nextPublisherAt else { return }
        leaders.denied(question: publisher.endpoint, naming: other, at: now)
        goToNextPublisher(at: now)
    }

    /// The publisher gives no answers, or takes no messages.
    mutating func publisherFellSilent(at now: Instant) {
        guard let publisher, leaders.hasOthers, now >= nextPublisherAt else { return }
        leaders.fellSilent(publisher.endpoint, at: now)
        goToNextPublisher(at: now)
    }

    /// Connects to the leader, if one was named, or to the publisher that was asked longest ago.
    private mutating func goToNextPublisher(at now: Instant) {
        guard let next = leaders.leader ?? leaders.next() else { return }
        nextPublisherAt = now.advanced(by: ClientLimits.leaderPauseMax)
        do {
            try replacePublisher(by: Endpoint(next, for: .connecting))
        } catch {
            // It is asked later, after the others; the former one stays until then.
            leaders.fellSilent(next, at: now)
        }
    }

    /// Reports the outcome of a receipt for every key of its invalidation.
    ///
    /// - Returns: how many keys there were.
    mutating func completeInvalidation(_ body: (PipelinedCompletion) -> Void) -> Int {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            guard let (place, held) = invalidations.close(requestID: message.requestID)
            else { return 0 }
            let (outcome, position) = Self.outcome(of: message)
            let isDenied = message.type == .notLeader
            let other = isDenied ? RequestRouter.named(in: message) : nil
            let isByNode = Self.isUnsupported(message)
            for index in 0..<held.count {
                body(
                    PipelinedCompletion(
                        invalidations.operation(index, at: place, of: held), outcome,
                        position: position))
            }
            if isDenied { publisherDenied(naming: other, at: MonotonicClock.now) }
            if isByNode { publisherFellSilent(at: MonotonicClock.now) }
            return held.count
        } catch {
            // The operation of this answer is unknown; it is given up after its timeout.
            return 0
        }
    }

    /// Whether it is the answer of a node: a seed may be another name of one.
    private static func isUnsupported(_ message: MessageView) -> Bool {
        guard message.type == .error else { return false }
        do throws(WireRefusal) {
            return try ErrorReply(decoding: message).knownCode == .unsupported
        } catch {
            return false
        }
    }

    private static func outcome(of message: MessageView) -> (PipelinedOutcome, LogPosition) {
        guard message.type == .receipt else {
            return (PipelinedOutcome(instead: message), .none)
        }
        do {
            let receipt = try Receipt(decoding: message)
            // A publisher with its log in memory can lose records that no node has applied yet.
            let isSure = receipt.wait == .none || !receipt.applied.isEmpty
            return (receipt.isComplete && isSure ? .invalidated : .unconfirmed, receipt.position)
        } catch {
            return (.refused, .none)
        }
    }
}
