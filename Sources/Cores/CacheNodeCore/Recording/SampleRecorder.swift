import ByteCoding
import CacheModel
import CacheWire

/// Sampled operations, for the sampled log.
///
/// All data of a sample is read from the message and from its complete answer: the code that
/// handles a request does not know of sampling, and pays nothing for it.
struct SampleRecorder {
    private var sampler: OperationSampler
    private var notes: [ShardSampleNote] = []
    private var leftOut = 0

    init(every: Int?, seed: UInt64) { sampler = OperationSampler(every: every, seed: seed) }

    var hasNotes: Bool { !notes.isEmpty }

    /// The samples since the last call, and the number of those left out for lack of space.
    mutating func takeNotes() -> (notes: [ShardSampleNote], leftOut: Int) {
        defer {
            notes.removeAll(keepingCapacity: true)
            leftOut = 0
        }
        return (notes, leftOut)
    }

    /// A message with this many operations is answered.
    ///
    /// - Returns: whether one of them is sampled: then call ``append(of:_:times:now:)``.
    @inline(__always)
    mutating func pass(_ count: Int) -> Bool { sampler.pass(count) }

    /// Records the sampled operations of the message that has just passed.
    ///
    /// - Parameters:
    ///   - results: of all its operations, as they are sent.
    ///   - times: `nil` if the message did not wait.
    @inline(never)
    mutating func append(
        of message: MessageView, _ results: UnsafeRawBufferPointer, times: WaitedTimes?,
        now: Instant
    ) {
        switch message.type {
        case .get, .set, .delete, .touch: break
        // A part of a value, whose store comes later and is sampled itself; or an operator's
        // request.
        default: return sampler.takeBack(message.count)
        }
        let context = Context(message: message, times: times, now: now)
        var (reader, answers) = (ByteReader(message.body), ByteReader(results))
        var index = 0
        while let sampled = sampler.next(of: message.count) {
            guard notes.count < ShardLimits.sampleNotesMax else {
                leftOut += 1
                continue
            }
            let (operation, result) = ShardCore.planned { () throws(WireRefusal) in
                while index < sampled {
                    _ = try Operation(of: message.type, &reader)
                    _ = try OperationResult(decoding: &answers)
                    index += 1
                }
                index += 1
                return (
                    try Operation(of: message.type, &reader),
                    try OperationResult(decoding: &answers)
                )
            }
            notes.append(context.note(of: operation, result))
        }
    }

    /// The data of an operation in a line.
    private struct Operation {
        let key: UnsafeRawBufferPointer
        var valueBytes: Int?
        var isPrefetch = false

        init(of type: MessageType, _ reader: inout ByteReader) throws(WireRefusal) {
            var tags: [UnsafeRawBufferPointer] = []
            switch type {
            case .get:
                let operation = try GetOperation(decoding: &reader)
                key = operation.key
                isPrefetch = operation.options.contains(.prefetch)
            case .set:
                let operation = try SetOperation(decoding: &reader, tags: &tags)
                key = operation.key
                guard !operation.options.contains(.renew) else { return }
                valueBytes = operation.upload?.totalBytes ?? operation.value.count
            default: key = try reader.nextKey(of: type, tags: &tags)
            }
        }
    }

    /// The message of a sample, and its wait.
    private struct Context {
        let message: MessageView
        let times: WaitedTimes?
        let now: Instant

        func note(of operation: Operation, _ result: OperationResult) -> ShardSampleNote {
            ShardSampleNote(
                type: message.type, namespace: Namespace(named: message.fields.namespace),
                // A longer key is invalid, and was refused.
                key: [UInt8](operation.key.prefix(CacheKey.bytesMax)), status: result.status,
                flags: result.flags, detail: result.detail,
                valueBytes: operation.valueBytes ?? valueBytes(of: result),
                isForPeer: message.fields.reading.peerUrgency != nil,
                isPrefetch: operation.isPrefetch,
                took: times.map { now.elapsed(since: $0.arrivedAt) }, times: times,
                trace: message.fields.traceContext)
        }

        /// Of the whole value, if a part of it was returned.
        private func valueBytes(of result: OperationResult) -> Int? {
            guard result.status == .hit || result.status == .stale else { return nil }
            guard !result.fields.isEmpty else { return result.value.count }
            do throws(WireRefusal) {
                let whole = try ResultFields(decoding: result.fields).whole
                return whole?.totalBytes ?? result.value.count
            } catch {
                return nil
            }
        }
    }
}

/// Selects the sampled operations of a shard: one in N, whatever its key, at distances that do not
/// align with any pattern of requests.
///
/// The distances are drawn from a given seed, 1 to 2N − 1 operations, N on average: a strict N-th
/// would select the same place of a batch again and again [1]. A message costs one subtraction of
/// its operation count, and a comparison, also without sampling.
///
/// [1] docs/decisions/0069-a-sampled-log-of-keys-on-nodes.md
struct OperationSampler {
    /// One in this many; `nil`: none.
    private let every: UInt64?
    private var draw: UInt64
    /// Number of operations up to and including the next sampled one. At zero or below, that one is
    /// in the message that has just passed.
    private var left = Int.max

    init(every: Int?, seed: UInt64) {
        self.every = every.map { UInt64(max(1, $0)) }
        draw = seed
        if self.every != nil { left = distance() }
    }

    /// A message with this many operations is answered.
    ///
    /// - Returns: whether one of them is sampled: ``next(of:)`` returns which.
    @inline(__always)
    mutating func pass(_ count: Int) -> Bool {
        left &-= count
        return left <= 0
    }

    /// The next sampled operation of a message that has passed; `nil` after the last.
    mutating func next(of count: Int) -> Int? {
        guard every != nil, left <= 0 else { return nil }
        defer { left += distance() }
        return count - 1 + left
    }

    /// Reverts the last message: its operations are not of the sampled kinds.
    mutating func takeBack(_ count: Int) { left &+= count }

    private mutating func distance() -> Int {
        guard let every else { return .max }
        draw &+= 0x9E37_79B9_7F4A_7C15
        return 1 + Int(StableHash.mix(draw) % (2 * every - 1))
    }
}
