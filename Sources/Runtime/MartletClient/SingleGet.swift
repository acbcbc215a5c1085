import CacheClientCore
import CacheModel
import CacheWire

/// A plain get of one key on its way to the loop.
struct SingleGet: Sendable {
    typealias Caller = UnsafeContinuation<ReadEnding, Never>

    let key: CacheKey
    let namespace: Namespace
    let options: GetOperation.Options
    let deadline: Instant
    /// Identifies the get for a cancellation; unique within the client.
    let ticket: UInt64
    /// Unchecked, because a checked continuation is an allocation for each get. The code that
    /// settles a get resumes its caller once and then forgets it.
    let caller: Caller
}

/// The outcome of a plain get on the fast path.
enum ReadEnding: Sendable {
    case found(CachedValue)
    case missing
    case failed(CacheError)
    /// The value is larger than a frame: this is its first part.
    indirect case firstPart(OperationAnswer)
    /// The first attempt failed, and the get is retried.
    indirect case again(FailedAttempt)
    /// Nothing was sent: the general path takes over.
    case untried
}

/// The state of an operation after its first attempt.
struct FailedAttempt: Sendable {
    var schedule: RetrySchedule
    /// The earliest time of a retry.
    var due: Instant
    /// The answer of that attempt, if there was one.
    var answer: OperationAnswer?
    /// The replica that was silent.
    var avoided: NodeIndex?
    /// Whether it must not share a message again.
    var isAlone = false
}
