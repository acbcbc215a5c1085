import CacheHTTP
import CacheModel
import Telemetry

extension SlowOperation {
    /// A request over HTTP that was slow, or was sampled.
    init(_ visit: Visit, _ head: RequestHead, took: Duration) {
        self.init("\(head.method) \(visit.route.label)", took: took)
        trace = visit.trace.context
        facts = [("status", visit.status == 0 ? "none" : "\(visit.status)")]
        if let source = visit.source { facts.append(("cache", source)) }
        do throws(Problem) {
            switch try Resource(target: head.target) {
            case .entry(let namespace, let key), .explanation(let namespace, let key):
                self.namespace = namespace
                self.key = key.bytes
                keyCount = 1
            case .namespace(let namespace), .batch(let namespace): self.namespace = namespace
            case .invalidations, .cluster, .stream, .document, .olderDocument: break
            }
        } catch {
            // A malformed target has no names.
        }
        if let decidedAt = visit.decidedAt {
            parts = [
                ("answering", decidedAt.elapsed(since: visit.begunAt)),
                ("sending", max(.zero, took - decidedAt.elapsed(since: visit.begunAt))),
            ]
        }
    }
}
