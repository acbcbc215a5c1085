import ZeroMQ

extension CacheError {
    /// - Throws: ``Code/invalidArgument`` if one side has a key and the other has none.
    static func check(_ endpoint: Endpoint, _ keys: ClientKeys?) throws(CacheError) {
        switch (endpoint.serverKey, keys) {
        case (.some, .none):
            throw CacheError(
                .invalidArgument,
                "\(endpoint) authenticates its clients: this one needs a key of its own")
        case (.none, .some):
            throw CacheError(
                .invalidArgument,
                "\(endpoint) does not name the server's key, so any process could answer: copy "
                    + "the whole endpoint, with ?key= and its digits")
        default: return
        }
    }
}
