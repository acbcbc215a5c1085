import ZeroMQ

/// Why a node could not be started, with what to do about it.
package struct NodeStartError: Error, CustomStringConvertible {
    package let endpoint: String
    package let cause: any Error

    package var description: String {
        if let cause = cause as? ZeroMQError, cause.isAddressInUse {
            return "\(endpoint) is in use: choose another port, or stop what listens there"
        }
        return "\(endpoint) cannot be bound: \(cause)"
    }
}

/// Why a node with a write queue could not be started, with what to do about it.
package struct QueueStartError: Error, CustomStringConvertible {
    package let directory: String
    package let reason: String

    package var description: String {
        "the write queue in \(directory) cannot be used: \(reason)"
    }
}
