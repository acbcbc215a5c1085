import CacheAccess
package import CacheModel
package import CacheWire

/// An operator's request or order about the node's write queue, and its coverage.
package struct QueueQuestion: Sendable {
    package let request: QueueRequest
    /// The sender's access entry; `nil`: access is not controlled.
    private let sender: AccessEntry?

    init(_ request: QueueRequest, by sender: AccessEntry?) {
        self.request = request
        self.sender = sender
    }

    /// Whether the sender administers a key, and so may see its writes.
    ///
    /// - Complexity: a comparison of names for each pattern of the sender.
    package func shows(_ key: CacheKey, in namespace: Namespace) -> Bool {
        sender?.may(.admin, with: Scope(.key(key, in: namespace))) ?? true
    }

    /// Whether it covers the writes of a key: the named one or, if none is named, each that the
    /// sender administers.
    package func covers(_ key: CacheKey, in namespace: Namespace) -> Bool {
        if let wanted = request.key, wanted != key || request.namespace != namespace {
            return false
        }
        return shows(key, in: namespace)
    }
}
