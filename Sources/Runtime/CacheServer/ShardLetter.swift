import CacheAccess
import CacheLoading
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire
import Threading

/// What other threads tell a shard.
enum ShardLetter: Sendable {
    case apply([SealedRecord], isAwaited: Bool)
    /// The entries of the list that are in force now.
    case access(AccessTable)
    case forget(continuingFrom: LogMark, of: LogID, isPending: Bool)
    /// The node begins there, or as a new one: every shard knows what its disk tier has.
    case resume(at: LogMark?)
    /// The run of this node that the publisher knows as the last one before this.
    case lives(previous: Incarnation)
    /// What was touched while this node did not hear it; `nil` if that is unknown.
    case settle(TouchedScopes?, from: LogMark)
    case standing(NodeStanding)
    case topology(frame: [UInt8])
    case config(ConfigReport, ShardPolicies)
    case published(ticket: UInt64, position: LogPosition?)
    case headKnown(number: UInt64, head: LogPosition)
    case loadEnded(number: UInt64, LoadOutcome)
    /// How far warming up is.
    case warmUp(WarmUp.Progress)
    /// Say which of these keys are missing.
    case claim(WarmUp.Claim, @Sendable (WarmUp.Claimed?) -> Void)
    /// Store what a peer has given, and say what was.
    case fill(WarmUp.Batch, @Sendable (WarmUp.Stored) -> Void)
    /// An owner before of slots has answered, or not, for readers that wait.
    case pulled(KeyPulls.Ended)
    case writeEnded(number: UInt64, WriteAnswer)
    /// A key has accepted writes, or the last of them is over.
    case hold(WriteLine)
    case release(WriteLine, at: LogPosition)
    /// How the node's write queue stands: to one shard, and to one that asked.
    case queueDepth(QueueDepth)
    /// Which namespaces have an origin that is switched off: to one shard.
    case originsOff([Namespace])
    case queueReport(number: UInt64, QueueReport)
    /// How many descriptors the process has open: to one shard.
    case descriptors(DescriptorUsage)
    /// Say what the entries take.
    case measureMemory
    case pulse(Pulse)
    case report(@Sendable (ShardReport) -> Void)
    /// What the entries may take from now on.
    case memoryBudget(bytes: Int)
    /// What became of opening the disk tier's file.
    case disk(DiskOpener.Outcome)
    case stop
}

/// What a shard tells the control thread.
enum ControlLetter: Sendable {
    case publish(ShardPublishRequest)
    case askHead(shard: ShardIndex, number: UInt64)
    case applied(shard: ShardIndex, mark: LogMark)
    /// A shard's disk tier is open, or there is none for now. If it goes on: where that was.
    case diskReady(shard: ShardIndex, RecoveredPlace?)
    /// What the entries of a shard take.
    case memory(shard: ShardIndex, residentBytes: Int)
    /// A client has ordered the node to leave.
    case drain
    /// A shard gives entries to the next owner of their slots.
    case gives
    /// The node leaves, and nothing is under way in this shard any more.
    case drained(shard: ShardIndex)
    case pulse(Pulse)
    case report(@Sendable (NodeControlStatistics) -> Void)
    case stop
}

/// The namespaces' policies as a shard needs them.
struct ShardPolicies: Sendable {
    var policies: [Namespace: NamespacePolicy]
    var fallback: NamespacePolicy
}
