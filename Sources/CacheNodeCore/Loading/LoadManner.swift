import CacheLoading

/// How a load is made.
struct LoadManner {
    var urgency: LoadUrgency
    /// Who waits for it.
    var readers: [LoadReader] = []
    /// Whether the origin is only asked for what has changed, if something is held.
    var isConditional = true
}
