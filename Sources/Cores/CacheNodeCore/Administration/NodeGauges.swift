package import CacheModel
import CacheWire

/// Gauges of the node and its process, for the shard that reports them. The others keep the
/// initial values, and report no more than those.
struct NodeGauges {
    var queue = QueueDepth()
    /// Namespaces with an origin that is switched off, because a variable or file is missing.
    var originsOff: [Namespace] = []
    var descriptors: DescriptorUsage?
    var warmUp = WarmUp.Progress()

    var queueFigures: [StatusReport.Figure] {
        [
            .init("writes_waiting", UInt64(queue.waiting)),
            .init("writes_rejected", UInt64(queue.rejected)),
            .init("queue_unusable", queue.isUnusable ? 1 : 0),
        ]
    }

    var originFigures: [StatusReport.Figure] {
        originsOff.map { .init("origin_off:\($0.name)", 1) }
    }

    var descriptorFigures: [StatusReport.Figure] {
        guard let descriptors else { return [] }
        return [
            .init("descriptors", UInt64(descriptors.open)),
            .init("descriptors_max", UInt64(descriptors.max)),
        ]
    }

    var warmUpFigures: [StatusReport.Figure] {
        guard warmUp.phase != .idle else { return [] }
        return [
            .init("warm_up_phase", UInt64(warmUp.phase.rawValue)),
            .init("warm_up_keys", UInt64(warmUp.keyCount)),
            .init("warm_up_done", UInt64(warmUp.doneCount)),
            .init("warm_up_failed", UInt64(warmUp.failedCount)),
            .init("warm_up_replicas", UInt64(warmUp.replicaCount)),
            .init("warm_up_copied", UInt64(warmUp.copiedCount)),
            .init("warm_up_copied_bytes", UInt64(warmUp.copiedBytes)),
        ]
    }
}

/// The node passes the gauges to one of its shards.
extension ShardCore {
    /// The state of the node's write queue.
    package mutating func setQueueDepth(_ depth: QueueDepth) { gauges.queue = depth }

    /// Namespaces with an origin that is switched off.
    package mutating func setOriginsOff(_ namespaces: [Namespace]) {
        gauges.originsOff = namespaces
    }

    /// The process's open descriptors and their limit.
    package mutating func setDescriptors(_ usage: DescriptorUsage) { gauges.descriptors = usage }

    /// The progress of warm-up.
    package mutating func setWarmUp(_ progress: WarmUp.Progress) { gauges.warmUp = progress }
}
