import CacheDisk
import CacheLoading

/// Everything that can happen in the world.
enum Event {
    /// A parcel reaches the far end of its link.
    case arrives(Parcel)
    /// A thread's loop goes round. Passed over unless the thread still means to at this moment.
    case publisherTurns
    case controlTurns(run: Int)
    case shardTurns(ShardPlace)
    /// A shard that was held up between its last look at the lease and its sending goes on.
    case shardSends(ShardPlace)
    /// A reader begins something new.
    case clientActs
    /// A client asks for keys ahead of need.
    case clientPrefetches
    /// A node copies an entry from another one.
    case nodeCopies
    /// A load reads the database, and later has what it read.
    case originIsRead(fill: Int)
    case originAnswers(fill: Int)
    /// A writer commits to the database and invalidates.
    case writerActs
    /// A writer that has no receipt yet asks again.
    case writerAsksAgain(Int)
    case faultStrikes
    /// The configuration names other nodes.
    case membersChange
    case faultEnds(Fault)
    /// The publisher dies; one run that knows more than the others is out of reach meanwhile.
    case publisherDies(leavingOut: Int)
    case nodeStarts(Int)
    case publisherStarts
    /// The log's thread of that publisher does its next step.
    case diskWorks(generation: Int)
    /// That thread has read what the log had touched before its publisher started.
    case floorsAreRead(generation: Int)
    /// A node's sockets have found the restarted publisher.
    case reconnects(run: Int)
    /// A node's origin thread, like any thread.
    case originThreadTurns(run: Int)
    /// The origin reads the database for an attempt of that run, and later has answered.
    case attemptIsRead(run: Int, AttemptNumber)
    case attemptEnds(run: Int, AttemptNumber)
    case originFails
    case originHeals(number: Int)
    /// A shard's opener has come to the file of its disk tier.
    case tierOpens(ShardPlace, opening: Int)
    /// The file's thread ends the oldest of its writes.
    case tierWrites(ShardPlace, storage: Int)
    case tierReads(ShardPlace, storage: Int, DiskTicket)
    case tierFaultStrikes
    case tierHeals(node: Int, shard: Int)
    /// A shard's entries must take less for a while.
    case memoryIsShort
    /// From now on nothing fails any more.
    case calm
    /// Looks whether everybody is well again.
    case inspection
    /// The last question to a shard is asked again.
    case examination(ShardPlace)
}

/// A shard of one run of a node.
struct ShardPlace: Hashable {
    var run: Int
    var shard: Int
}
