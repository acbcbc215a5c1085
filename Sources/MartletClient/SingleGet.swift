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
    /// What a cancellation names it by; no other get of the client has it.
    let ticket: UInt64
    /// Unchecked, because a checked one is an allocation for each get. Whoever takes a get in
    /// resumes it once: where it is settled, its caller is forgotten.
    let caller: Caller
}

/// How a plain get came back from the loop.
enum ReadEnding: Sendable {
    case found(CachedValue)
    case missing
    case failed(CacheError)
    /// There is more of the value than a frame holds: this is its first part.
    indirect case firstPart(OperationAnswer)
    /// It was asked, and is to be asked again.
    indirect case again(FailedAttempt)
    /// Nothing was sent: the general way knows what to do.
    case untried
}

/// What an operation's first attempt left behind.
struct FailedAttempt: Sendable {
    var schedule: RetrySchedule
    /// Not to be asked again before this.
    var due: Instant
    /// What it was told, unless that was nothing.
    var answer: OperationAnswer?
    /// The replica that was silent.
    var avoided: NodeIndex?
    /// Whether it must not share a message again.
    var isAlone = false
}
