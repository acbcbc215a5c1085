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
                isForPeer: message.fields.peerUrgency != nil, isPrefetch: operation.isPrefetch,
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
