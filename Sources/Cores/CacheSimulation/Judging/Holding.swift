/// The oracle's knowledge of a value that a shard has stored.
struct Holding {
    /// When it was last stored or renewed there.
    var step: Int
    var time: WorldTime
    /// The end of its freshness; `nil`: never.
    var endsAt: WorldTime?
    /// The step of the last request to the origin about it, and of the state that the answer
    /// reflects.
    var readStep: Int
    var sawStep: Int
    /// How long after that it may be served stale.
    var window = Span.zero
    /// Whether it was renewed with a token, however it was stored.
    var isRenewed = false
}
