import MartletClient

/// A thread's connection, kept from phase to phase, and what it was made for.
///
/// A warm-up is to warm the sockets, too, and a node that is lost between two phases is to be
/// counted, not to end the run.
final class DriverLine {
    let shape: ConnectionShape
    var connection: PipelinedConnection

    /// - Throws: ``MartletClient/CacheError`` if somebody cannot be reached.
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
