import CacheModel
import CacheNodeCore
import CacheWire

/// What other threads tell a shard.
enum ShardLetter: Sendable {
    case apply([SealedRecord])
    case forget(continuingFrom: LogMark)
    case standing(NodeStanding)
    case topology(frame: [UInt8])
    case config(ConfigReport, ShardPolicies)
    case published(ticket: UInt64, position: LogPosition?)
    case stop
}

/// What a shard tells the control thread.
enum ControlLetter: Sendable {
    case publish(ShardPublishRequest)
    case applied(shard: ShardIndex, mark: LogMark)
    case stop
}

/// The namespaces' policies as a shard needs them.
struct ShardPolicies: Sendable {
    var policies: [Namespace: NamespacePolicy]
    var fallback: NamespacePolicy
}
