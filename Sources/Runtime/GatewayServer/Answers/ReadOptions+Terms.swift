import CacheHTTP
import CacheModel
import MartletClient

extension ReadOptions {
    /// The read options for the terms of a request. ETag, version and tags are always requested:
    /// fields of the answer depend on them.
    init(_ terms: ReadTerms) {
        self.init()
        atLeast = terms.atLeast
        atLeastCluster = terms.atLeastCluster
        isFresh = terms.isFresh
        policy = terms.isOnlyIfCached ? .cacheOnly : nil
        maxAge = terms.maxAge
        switch terms.staleness {
        case .namespaceDefault: break
        case .any: allowsStale = true
        case .upTo(let duration): maxStale = duration
        }
        wantsDetails = true
        trace = RequestTrace.forReads
    }
}
