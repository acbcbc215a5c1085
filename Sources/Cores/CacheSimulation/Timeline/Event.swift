import CacheDisk
import CacheLoading

/// All events of the world.
enum Event {
    /// A parcel reaches the far end of its link.
    case arrives(Parcel)
    /// A thread's loop runs a turn. Ignored unless the thread still plans one at this moment.
    case publisherTurns(Int)
    case controlTurns(run: Int)
    case shardTurns(ShardPlace)
    /// A shard continues after a stall between its last check of the lease and the sending.
    case shardSends(ShardPlace)
    /// A reader begins an operation.
    case clientActs
    /// A client prefetches keys.
    case clientPrefetches
    /// A node copies an entry from another one.
    case nodeCopies
    /// A load reads the database; its answer arrives later.
    case originIsRead(fill: Int)
    case originAnswers(fill: Int)
    /// A writer commits to the database and invalidates.
    case writerActs
    /// A writer without a receipt retries.
    case writerAsksAgain(Int)
    case faultStrikes
    /// The nodes in the configuration change.
    case membersChange
    case faultEnds(Fault)
    /// The publisher dies; one run that knows more than the others is unreachable meanwhile.
    case publisherDies(leavingOut: Int)
    case nodeStarts(Int)
    /// A node is told to leave.
    case nodeLeaves
    case nodeIsForgotten
    /// A run has left, and its process ends.
    case runEnds(Int)
    case publisherStarts(Int)
    /// The log's thread of that publisher does its next step.
    case diskWorks(generation: Int)
    /// That thread has read the floors of the log from before its publisher's start.
    case floorsAreRead(generation: Int)
    /// A node's sockets have reconnected to the restarted publisher.
    case reconnects(run: Int)
    /// A node's origin thread runs a turn.
    case originThreadTurns(run: Int)
    /// The origin reads the database for an attempt of that run, and answers later.
    case attemptIsRead(run: Int, AttemptNumber)
    case attemptEnds(run: Int, AttemptNumber)
    case originFails
    case originHeals(number: Int)
    /// A shard's opener has reached the file of its disk tier.
    case tierOpens(ShardPlace, opening: Int)
    /// The file's thread completes the oldest of its writes.
    case tierWrites(ShardPlace, storage: Int)
    case tierReads(ShardPlace, storage: Int, DiskTicket)
    case tierFaultStrikes
    case tierHeals(node: Int, shard: Int)
    /// A shard's memory limit shrinks for a while.
    case memoryIsShort
    /// Another number of bytes is free on the file systems of a node's disk tiers.
    case tierSpaceChanges
    /// A request to the store of several publishers arrives, its answer arrives, or its publisher
    /// gives it up.
    case storeIsAsked(Int)
    case storeHasAnswered(Int)
    case storeIsGivenUp(Int)
    case storeChecksLeases
    case sharedFaultStrikes
    case sharedFaultEnds(SharedFault)
    /// From now on there are no faults.
    case calm
    /// Checks whether all nodes have recovered.
    case inspection
    /// Repeats the final request to a shard.
    case examination(ShardPlace)
}

/// A shard of one run of a node.
struct ShardPlace: Hashable {
    var run: Int
    var shard: Int
}
