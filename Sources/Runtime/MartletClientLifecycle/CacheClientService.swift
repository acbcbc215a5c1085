public import MartletClient
public import ServiceLifecycle

/// A ``MartletClient/CacheClient`` as a service of a service group.
///
///     let cache = try CacheClient(endpoints: ["tcp://127.0.0.1:7400"])
///     let group = ServiceGroup(
///         services: [CacheClientService(cache), WebServer(cache)],
///         gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// The client needs no service to work. The service closes it when the group shuts down or fails.
/// A graceful shutdown ends services in reverse order, so list this one before those that use the
/// client: they finish their calls first. If a service throws, the group cancels all at once, and
/// calls that are under way fail with the code `closed`. A client belongs to one group.
public struct CacheClientService: Service {
    private let client: CacheClient

    public init(_ client: CacheClient) { self.client = client }

    /// Waits until the group shuts down or the task is cancelled, and closes the client.
    ///
    /// - Throws: `CancellationError` if the task was cancelled. The client is closed then, too.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }
}
