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
/// The client needs no service to work: its thread runs from its first call on. The service closes
/// it in order when the group shuts down. A group ends its services in reverse order, so list the
/// service before those that use the client: they finish their calls first.
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
