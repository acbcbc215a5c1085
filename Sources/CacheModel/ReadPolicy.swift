/// What a get looks at, in a namespace whose values the node loads by itself.
public enum ReadPolicy: String, CaseIterable, Sendable {
    /// What is fresh is answered; anything else is loaded first.
    case cacheFirst = "cache-first"
    /// Only what is there and fresh; the origin is not asked.
    case cacheOnly = "cache-only"
    /// Loaded first; what is there answers only if the origin does not.
    case networkFirst = "network-first"
    /// Loaded, and nothing else will do.
    case networkOnly = "network-only"
    /// What is there answers, also if it is stale – within its window –, and is loaded anew behind
    /// the answer.
    case staleWhileRevalidate = "stale-while-revalidate"
}
