import CacheConfiguration
import CommandSurface
import ZeroMQ

/// Looks whether a cluster's ports are free before anything is started.
///
/// Without it a second `up` on the ports of a first one would find a live cluster there, and take
/// it for its own.
enum PortCheck {
    /// - Parameter others: endpoints that the configuration does not name.
    /// - Throws: ``CommandFailure`` that names the first endpoint another process listens on.
    static func ensureFree(
        _ configuration: ClusterConfiguration, beside others: [String] = []
    ) throws {
        let publisher = configuration.publisher
        let endpoints =
            [publisher.endpoint, publisher.effectiveLiveEndpoint].compactMap(\.self)
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] } + others
            + ([configuration.publisher.http] + configuration.nodes.map(\.http))
            .compactMap(\.self).filter { $0.port > 0 }.map { "tcp://\($0)" }
        let context = try Context()
        for text in endpoints where text.hasPrefix("tcp:") {
            do {
                _ = try Socket(context, .pair).bind(Endpoint(text))
            } catch let error as ZeroMQError where error.isAddressInUse {
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(text) is in use: choose another --port, or stop what listens there")
            } catch {
                throw CommandFailure(.unusableConfiguration, "\(text) cannot be bound: \(error)")
            }
        }
    }
}
