package import CacheModel
import CacheWire

/// Requests to owners before, for readers that wait: each is sent at once and ends once.
///
/// One thread of a node owns it, beside ``WarmUp``: it sends the frames and passes on what arrives.
package struct KeyPulls: Sendable {
    /// A request under way.
    private struct Asked: Sendable {
        let pull: SlotPull
        let shard: Int
        let at: Instant

        func ended(by reading: CopyReading?) -> Ended {
            guard let reading else { return failed(pull, of: shard) }
            var batch = WarmUp.Batch(
                shard: shard, of: pull.request, askedAt: at, copies: reading.copies)
            batch.mayEvict = true
            batch.deferred = reading.deferred
            return Ended(pull: pull, shard: shard, batch: batch)
        }
    }

    /// The end of a request, for one of this node's shards.
    package struct Ended: Sendable {
        package let pull: SlotPull
        /// Of this node.
        package let shard: Int
        /// `nil`: the owner before did not answer, or cannot give anything.
        package let batch: WarmUp.Batch?
    }

    /// Their numbers begin here, apart from those of a ``WarmUp``.
    private static let firstNumber: UInt64 = 1 << 63

    private var asked: [UInt64: Asked] = [:]
    /// By age; those before `first` have ended.
    private var order: [UInt64] = []
    private var first = 0
    private var lastNumber = firstNumber

    package init() {}

    /// When the next timer is due; `nil`: none.
    package var nextDeadline: Instant? {
        order[first...].first { asked[$0] != nil }.flatMap { asked[$0] }?.at
            .advanced(by: HandOverLimits.pullTimeout)
    }

    /// Whether an answer is to one of these requests, by its request id.
    package static func owns(_ frame: UnsafeRawBufferPointer) -> Bool {
        MessageHeader.requestID(ofDamaged: frame) >= firstNumber
    }

    /// Begins a request of one of this node's shards.
    ///
    /// - Returns: the frame to be sent to the owner before.
    package mutating func ask(_ pull: SlotPull, of shard: Int, now: Instant) -> [UInt8] {
        lastNumber += 1
        asked[lastNumber] = Asked(pull: pull, shard: shard, at: now)
        order.append(lastNumber)
        return pull.request.frame(number: lastNumber)
    }

    /// A frame came from an owner before.
    ///
    /// - Returns: `nil`: it answers no request under way.
    package mutating func answered(_ frame: UnsafeRawBufferPointer) -> Ended? {
        let number = MessageHeader.requestID(ofDamaged: frame)
        guard let known = asked.removeValue(forKey: number) else { return nil }
        // A value of several frames is left to the copying in the background.
        let reading = CopyReading.read(frame, of: known.pull.request, partial: nil)
        return known.ended(by: reading)
    }

    /// The owner before cannot be asked.
    package static func failed(_ pull: SlotPull, of shard: Int) -> Ended {
        Ended(pull: pull, shard: shard, batch: nil)
    }

    /// Ends the requests without an answer.
    package mutating func timeIsUp(now: Instant) -> [Ended] {
        var ended: [Ended] = []
        while first < order.count {
            if let known = asked[order[first]] {
                guard known.at.advanced(by: HandOverLimits.pullTimeout) <= now else { break }
                asked[order[first]] = nil
                ended.append(Self.failed(known.pull, of: known.shard))
            }
            first += 1
        }
        // Amortised O(1) for each request.
        if first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
        return ended
    }
}
