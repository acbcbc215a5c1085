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
