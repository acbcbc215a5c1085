import ByteCoding
import CacheModel
import CacheWire

/// Sampled operations, for the sampled log.
///
/// All data of a sample is read from the message and from its complete answer: the code that
/// handles a request does not know of sampling, and pays nothing for it.
extension ShardCore {
    /// Whether there are notes to take.
    package var hasSampleNotes: Bool { !sampleNotes.isEmpty }

    /// The samples since the last call, and the number of those left out for lack of space.
    package mutating func takeSampleNotes() -> (notes: [ShardSampleNote], leftOut: Int) {
        defer {
            sampleNotes.removeAll(keepingCapacity: true)
            samplesLeftOut = 0
        }
        return (sampleNotes, samplesLeftOut)
    }

    /// A message with at least one sampled operation has passed.
    ///
    /// - Parameter results: of all its operations, as they are sent.
    @inline(never)
    mutating func noteSamples(of plan: Plan, _ results: UnsafeRawBufferPointer, now: Instant) {
        switch plan.message.type {
        case .get, .set, .delete, .touch: break
        // A part of a value, whose store comes later and is sampled itself; or an operator's
        // request.
        default: return sampler.takeBack(plan.message.count)
        }
        var (reader, answers) = (ByteReader(plan.message.body), ByteReader(results))
        var index = 0
        while let sampled = sampler.next(of: plan.message.count) {
            guard sampleNotes.count < ShardLimits.sampleNotesMax else {
                samplesLeftOut += 1
                continue
            }
            let (operation, result) = Self.planned { () throws(WireRefusal) in
                while index < sampled {
                    _ = try nextOperation(of: plan, &reader)
                    _ = try OperationResult(decoding: &answers)
                    index += 1
                }
                index += 1
                return (
                    try nextOperation(of: plan, &reader), try OperationResult(decoding: &answers)
                )
            }
            sampleNotes.append(note(of: plan, operation, result, now: now))
        }
    }

    /// The data of an operation in a line.
    private typealias SampledOperation = (
        key: UnsafeRawBufferPointer, valueBytes: Int?, isPrefetch: Bool
    )

    private mutating func nextOperation(
        of plan: Plan, _ reader: inout ByteReader
    ) throws(WireRefusal) -> SampledOperation {
        switch plan.message.type {
        case .get:
            let operation = try GetOperation(decoding: &reader)
            return (operation.key, nil, operation.options.contains(.prefetch))
        case .set:
            tags.removeAll(keepingCapacity: true)
            let operation = try SetOperation(decoding: &reader, tags: &tags)
            guard !operation.options.contains(.renew) else { return (operation.key, nil, false) }
            return (operation.key, operation.upload?.totalBytes ?? operation.value.count, false)
        default: return (try Self.nextKey(of: plan.message.type, &reader, tags: &tags), nil, false)
        }
    }

    private func note(
        of plan: Plan, _ operation: SampledOperation, _ result: OperationResult, now: Instant
    ) -> ShardSampleNote {
        let times = waiting.resumedTimes
        return ShardSampleNote(
            type: plan.message.type,
            namespace: Self.namespace(named: plan.message.fields.namespace),
            // A longer key is invalid, and was refused.
            key: [UInt8](operation.key.prefix(CacheKey.bytesMax)), status: result.status,
            flags: result.flags,
            detail: result.detail, valueBytes: operation.valueBytes ?? Self.valueBytes(of: result),
            isForPeer: plan.message.fields.peerUrgency != nil, isPrefetch: operation.isPrefetch,
            took: times.map { now.elapsed(since: $0.arrivedAt) }, times: times,
            trace: plan.message.fields.traceContext)
    }

    /// Of the whole value, if a part of it was returned.
    private static func valueBytes(of result: OperationResult) -> Int? {
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
