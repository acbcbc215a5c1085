import CacheAccess
package import CacheModel
package import CacheWire

/// An operator's question or order about the node's write queue, and how far it reaches.
package struct QueueQuestion: Sendable {
    package let request: QueueRequest
    /// The sender's entry in the list; `nil`: no list is in force.
    private let sender: AccessEntry?

    init(_ request: QueueRequest, by sender: AccessEntry?) {
        self.request = request
        self.sender = sender
    }

    /// Whether the sender administers a key, and so is shown its writes.
    ///
    /// - Complexity: a comparison of names for each pattern of the sender.
    package func shows(_ key: CacheKey, in namespace: Namespace) -> Bool {
        sender?.may(.admin, with: Scope(.key(key, in: namespace))) ?? true
    }

    /// Whether it is about the writes of a key: the one that it names or, where it names none,
    /// each that the sender administers.
    package func covers(_ key: CacheKey, in namespace: Namespace) -> Bool {
        if let wanted = request.key, wanted != key || request.namespace != namespace {
            return false
        }
        return shows(key, in: namespace)
    }
}
