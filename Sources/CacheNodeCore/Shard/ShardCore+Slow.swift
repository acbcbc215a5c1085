import ByteCoding
import CacheModel
import CacheWire

/// What took long, for the log of slow operations.
///
/// Only what was kept aside can: what is answered at once is answered within its turn, and turns
/// are measured by themselves. So a request that does not wait is not looked at here.
extension ShardCore {
    /// Whether there is something to take.
    package var hasSlowNotes: Bool { !slowNotes.isEmpty }

    package mutating func takeSlowNotes() -> [ShardSlowNote] {
        defer { slowNotes.removeAll(keepingCapacity: true) }
        return slowNotes
    }

    /// A request that was kept aside has been looked at again: if it was answered, and took long,
    /// it is noted. One that is kept again has taken its times along.
    mutating func noteEnd(of plan: Plan, now: Instant) {
        guard let times = waiting.takeResumed(), let slowAfter = options.slowAfter else { return }
        let took = now.elapsed(since: times.arrivedAt)
        guard took >= slowAfter, slowNotes.count < ShardLimits.slowNotesMax else { return }
        slowNotes.append(
            ShardSlowNote(
                type: plan.message.type,
                namespace: Namespace(namespaces.name(of: plan.namespace)) ?? .default,
                key: firstKey(of: plan), keyCount: plan.message.count, took: took, times: times,
                trace: plan.message.fields.traceContext))
    }

    private mutating func firstKey(of plan: Plan) -> [UInt8] {
        switch plan.message.type {
        case .get, .set, .delete, .touch:
            var reader = ByteReader(plan.message.body)
            let type = plan.message.type
            do throws(WireRefusal) {
                return [UInt8](try nextKey(of: type, &reader))
            } catch {
                return []
            }
        default: return []
        }
    }
}
