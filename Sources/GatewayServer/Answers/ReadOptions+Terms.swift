import CacheHTTP
import CacheModel
import MartletClient

extension ReadOptions {
    /// What the terms of a request ask of the cluster. ETag, version and tags are always wanted:
    /// fields of the answer are made of them.
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
