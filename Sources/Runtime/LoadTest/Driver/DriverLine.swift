import MartletClient

/// A thread's connection, kept from phase to phase, and its shape.
///
/// So a warm-up also warms the sockets, and a node that is lost between two phases is counted
/// instead of ending the run.
final class DriverLine {
    let shape: ConnectionShape
    var connection: PipelinedConnection

    /// - Throws: ``MartletClient/CacheError`` if the cluster or one of its shards is unreachable.
    init(
        _ endpoints: [String], _ shape: ConnectionShape, keys: ClientKeys? = nil,
        timeout: Duration, spin: Duration = .zero
    ) throws(CacheError) {
        self.shape = shape
        var options = shape.options(timeout: timeout)
        options.spin = spin
        options.keys = keys
        connection = try PipelinedConnection(endpoints: endpoints, options: options)
    }
}
