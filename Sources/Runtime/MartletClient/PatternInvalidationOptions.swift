public import CacheModel

/// How the keys that match a pattern are invalidated.
public struct PatternInvalidationOptions: Hashable, Sendable {
    /// Most keys in a second, 1 to 1 000 000. A record has a quarter of them at most, and 1 000.
    public var keysPerSecond = 10_000
    public var strength = InvalidationRecord.Strength.hard
    /// The nodes that each record waits for.
    public var wait = InvalidationWait.all
    /// How long each record waits for nodes; `nil` is the timeout of the client.
    public var timeout: Duration?
    /// Whether matching keys are only counted.
    public var isDryRun = false

    public init() {}
}
