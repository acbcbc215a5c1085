/// What the oracle knows of a value that a shard took.
struct Holding {
    /// When it was stored there last, or renewed.
    var step: Int
    var time: WorldTime
    /// From when on it is not fresh; `nil`: never.
    var endsAt: WorldTime?
    /// When the origin was asked about it last, and what its answer showed.
    var readStep: Int
    var sawStep: Int
    /// For how long after that it may answer stale.
    var window = Span.zero
    /// Whether it was renewed under a token, whatever it was stored with.
    var isRenewed = false
}
