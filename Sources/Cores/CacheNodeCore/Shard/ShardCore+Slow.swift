import ByteCoding
import CacheModel
import CacheWire

/// Waiting requests: for the slow log if they took long, and for a span if they belong to a
/// recorded trace.
///
/// Requests that do not wait are answered within their turn, and turns are measured separately. So
/// such a request is not examined here.
extension ShardCore {
    /// Whether there are notes to take.
    package var hasSlowNotes: Bool { !slowNotes.isEmpty }
    package var hasSpanNotes: Bool { !spanNotes.isEmpty }

    package mutating func takeSlowNotes() -> [ShardWaitNote] {
        defer { slowNotes.removeAll(keepingCapacity: true) }
        return slowNotes
    }

    /// The waits of recorded traces since the last call, and the number of those left out for lack
    /// of space.
    package mutating func takeSpanNotes() -> (notes: [ShardWaitNote], leftOut: Int) {
        defer {
            spanNotes.removeAll(keepingCapacity: true)
            spansLeftOut = 0
        }
        return (spanNotes, spansLeftOut)
    }

    /// A waiting request was handled again: if it was answered, it may be noted. If it waits again,
    /// it keeps its times.
    mutating func noteEnd(of plan: Plan, now: Instant) {
        guard let times = waiting.takeResumed() else { return }
        let took = now.elapsed(since: times.arrivedAt)
        let isSlow = options.slowAfter.map { took >= $0 } ?? false
        guard isSlow || options.notesTraces else { return }
        let trace = plan.message.fields.traceContext
        let isRecorded = options.notesTraces && trace?.isSampled == true
        guard isSlow || isRecorded else { return }
        let note = ShardWaitNote(
            type: plan.message.type,
            namespace: Self.namespace(named: plan.message.fields.namespace),
            key: isSlow ? firstKey(of: plan) : [], keyCount: plan.message.count, took: took,
            times: times, trace: trace)
        if isSlow, slowNotes.count < ShardLimits.slowNotesMax { slowNotes.append(note) }
        guard isRecorded else { return }
        if spanNotes.count < ShardLimits.spanNotesMax {
            spanNotes.append(note)
        } else {
            spansLeftOut += 1
        }
    }

    private mutating func firstKey(of plan: Plan) -> [UInt8] {
        switch plan.message.type {
        case .get, .set, .delete, .touch:
            var reader = ByteReader(plan.message.body)
            let type = plan.message.type
            do throws(WireRefusal) {
                return [UInt8](try Self.nextKey(of: type, &reader, tags: &tags))
            } catch {
                return []
            }
        default: return []
        }
    }
}
