import ByteCoding
import CacheModel
import CacheWire

/// Requests that waited: for the slow log if they took long, and for a span if they belong to a
/// recorded trace.
///
/// Requests that do not wait are answered within their turn, and turns are measured separately. So
/// such a request is not examined here.
struct WaitRecorder {
    /// Requests answered after at least this time are slow; `nil`: none.
    private let slowAfter: Duration?
    private let recordsTraces: Bool
    private var slow: [ShardWaitNote] = []
    private var spans: [ShardWaitNote] = []
    private var spansLeftOut = 0

    init(slowAfter: Duration?, recordsTraces: Bool) {
        (self.slowAfter, self.recordsTraces) = (slowAfter, recordsTraces)
    }

    var hasSlow: Bool { !slow.isEmpty }
    var hasSpans: Bool { !spans.isEmpty }

    mutating func takeSlow() -> [ShardWaitNote] {
        defer { slow.removeAll(keepingCapacity: true) }
        return slow
    }

    /// The spans since the last call, and the number of those left out for lack of space.
    mutating func takeSpans() -> (notes: [ShardWaitNote], leftOut: Int) {
        defer {
            spans.removeAll(keepingCapacity: true)
            spansLeftOut = 0
        }
        return (spans, spansLeftOut)
    }

    /// A request that waited has been answered.
    mutating func waitEnded(of message: MessageView, _ times: WaitedTimes, now: Instant) {
        let took = now.elapsed(since: times.arrivedAt)
        let isSlow = slowAfter.map { took >= $0 } ?? false
        guard isSlow || recordsTraces else { return }
        let trace = message.fields.traceContext
        let isRecorded = recordsTraces && trace?.isSampled == true
        guard isSlow || isRecorded else { return }
        let note = ShardWaitNote(
            type: message.type, namespace: Namespace(named: message.fields.namespace),
            key: isSlow ? Self.firstKey(of: message) : [], keyCount: message.count, took: took,
            times: times, trace: trace)
        if isSlow, slow.count < ShardLimits.slowNotesMax { slow.append(note) }
        guard isRecorded else { return }
        if spans.count < ShardLimits.spanNotesMax {
            spans.append(note)
        } else {
            spansLeftOut += 1
        }
    }

    private static func firstKey(of message: MessageView) -> [UInt8] {
        switch message.type {
        case .get, .set, .delete, .touch:
            var reader = ByteReader(message.body)
            var tags: [UnsafeRawBufferPointer] = []
            do throws(WireRefusal) {
                return [UInt8](try reader.nextKey(of: message.type, tags: &tags))
            } catch {
                return []
            }
        default: return []
        }
    }
}
