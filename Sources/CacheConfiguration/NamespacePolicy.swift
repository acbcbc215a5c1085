/// What holds for the entries of one namespace.
package struct NamespacePolicy: Hashable, Sendable {
    /// Freshness lifetime of a store that names none. `nil`: such an entry never expires, unless
    /// ``timeToLiveMax`` says otherwise.
    package var timeToLive: Duration?
    /// Longest lifetime; a longer one, and none at all, is cut to it. `nil`: any is taken.
    package var timeToLiveMax: Duration?
    /// Most bytes in one value. A longer value is refused, never cut.
    package var valueBytesMax: Int
    /// What a node whose lease is over does with a lookup.
    package var suspect: SuspectPolicy
    /// What becomes of a store with neither a fill token nor a version.
    package var blindSet: BlindSetPolicy
    /// How long after an invalidation that covers it a blind store is refused. Only
    /// ``BlindSetPolicy/holdOff`` looks at it.
    package var blindSetHoldOff: Duration
    /// How long one caller alone has the right to load a key that was missed; others are told to
    /// wait. When it has passed, the next one may load.
    package var loadLease: Duration
    /// How long after a soft invalidation an entry may still be served to who allows stale
    /// answers. Zero: not at all.
    package var staleWindow: Duration

    /// What holds where nothing is said.
    package static let standard = NamespacePolicy(
        timeToLive: nil, timeToLiveMax: nil, valueBytesMax: 16 << 20, suspect: .serve,
        blindSet: .allow, blindSetHoldOff: .seconds(2), loadLease: .seconds(5),
        staleWindow: .seconds(60))
}
