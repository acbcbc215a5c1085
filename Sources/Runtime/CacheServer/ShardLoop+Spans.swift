import CacheModel
import CacheNodeCore
import CacheMetrics
import Telemetry

extension SpanExporter {
    /// The span of a request that a shard has kept aside for a recorded trace. It never says keys.
    func record(_ note: ShardWaitNote, of node: NodeID) {
        guard let trace = note.trace else { return }
        let operation = "\(note.type)"
        recordServed("\(operation) \(note.namespace.name)", for: trace, took: note.took) { span in
            span.add("db.system.name", .text("martlet"))
            span.add("db.operation.name", .text(operation))
            span.add("db.namespace", .text(note.namespace.name))
            if note.keyCount > 1 {
                span.add("db.operation.batch.size", .integer(Int64(note.keyCount)))
            }
            span.add("martlet.node", .text(node.name))
            for part in note.times.parts where part.took > .zero {
                let seconds = Double(part.took.wholeNanoseconds) / 1_000_000_000
                span.add("martlet.waited.\(part.name)", .number(seconds))
            }
        }
    }
}

extension WaitedTimes {
    /// For what a request was kept aside, and how long.
    var parts: [(name: String, took: Duration)] {
        [("position", position), ("publisher", publisher), ("disk", disk), ("origin", origin)]
    }
}
