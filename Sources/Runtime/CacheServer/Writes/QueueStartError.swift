/// Why a node with a write queue could not be started, with what to do about it.
package struct QueueStartError: Error, CustomStringConvertible {
    package let directory: String
    package let reason: String

    package var description: String {
        "the write queue in \(directory) cannot be used: \(reason)"
    }
}
