/// How a get is answered, in a namespace with values that the node loads itself.
public enum ReadPolicy: String, CaseIterable, Sendable {
    /// A fresh entry is the answer; otherwise the value is loaded first.
    case cacheFirst = "cache-first"
    /// Only a fresh entry; the origin is not asked.
    case cacheOnly = "cache-only"
    /// Loaded first; the held entry is served only if the origin fails.
    case networkFirst = "network-first"
    /// Always loaded.
    case networkOnly = "network-only"
    /// The held entry is served, also stale within its window, and is refreshed in the background.
    case staleWhileRevalidate = "stale-while-revalidate"
}
