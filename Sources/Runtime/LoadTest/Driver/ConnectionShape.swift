import CacheModel
import MartletClient

/// The connection settings of a phase, so that similar phases share a connection.
struct ConnectionShape: Equatable, Sendable {
    struct Invalidations: Equatable, Sendable {
        var window: Int
        var batch: Int
    }

    var node: NodeID?
    var batch = 1
    var window = 1
    var connections = 1
    var invalidations: Invalidations?

    /// Whether a phase that needs `other` can be driven over a connection of this shape.
    func serves(_ other: ConnectionShape) -> Bool { joined(other) == self }

    /// One shape for both; `nil` if there is none.
    ///
    /// With one operation in each message, a larger window allows no more operations in flight,
    /// because operations are counted. With many operations in a message it does, so those windows
    /// must be equal.
    func joined(_ other: ConnectionShape) -> ConnectionShape? {
        guard node == other.node, batch == other.batch, connections == other.connections,
            batch == 1 || window == other.window
        else { return nil }
        var joined = self
        joined.window = max(window, other.window)
        if let added = other.invalidations {
            guard let own = invalidations else {
                joined.invalidations = added
                return joined
            }
            guard own.batch == added.batch else { return nil }
            joined.invalidations?.window = max(own.window, added.window)
        }
        return joined
    }

    func options(timeout: Duration) -> PipelinedConnection.Options {
        var options = PipelinedConnection.Options()
        options.node = node
        options.batch = batch
        options.window = window
        options.connections = connections
        options.timeout = timeout
        if let invalidations {
            var wanted = PipelinedConnection.Invalidations()
            wanted.window = invalidations.window
            wanted.batch = invalidations.batch
            options.invalidations = wanted
        }
        return options
    }
}
