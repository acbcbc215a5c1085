package import MartletClient

/// Why a load test measured nothing.
package enum LoadTestFailure: Error, Sendable {
    /// The cluster is unreachable, or was lost.
    case cluster(CacheError)
    /// The system provides no more threads or sockets; a sentence.
    case system(String)
}
