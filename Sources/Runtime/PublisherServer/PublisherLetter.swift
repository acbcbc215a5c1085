import CacheAccess
import Storage
import PublisherCore
import Threading
import ZeroMQ

/// What other threads tell the one that owns the publisher.
enum PublisherLetter: Sendable {
    case reload(PublisherPlan)
    /// How many changes of the configuration file are refused.
    case refusedChanges(Int)
    /// The entries of the list that are in force now.
    case access(AccessTable)
    /// The log's thread has something to tell.
    case log(LogNews)
    /// Say that it turns.
    case pulse(Pulse)
    /// Tell of itself.
    case report(@Sendable (PublisherReport) -> Void)
    case stop
    /// The same, because of something that must not have happened.
    case fail(ZeroMQError)
}
