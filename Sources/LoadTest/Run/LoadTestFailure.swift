package import MartletClient

/// Why a load test measured nothing.
package enum LoadTestFailure: Error, Sendable {
    /// The cluster could not be reached, or was lost.
    case cluster(CacheError)
    /// The system gives no more threads or sockets; a sentence.
    case system(String)
}
