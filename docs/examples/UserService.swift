import Logging
import MartletClient
import MartletClientLifecycle
import ServiceLifecycle
import UnixSignals

/// A skeleton of a server with a cache, as a Hummingbird or Vapor application has it: SIGTERM ends
/// the server first and then the client.
struct UserService: Service {
    let cache: CacheClient

    /// Answers requests until the group shuts down. A server of yours goes here.
    func run() async throws {
        for await id in AsyncStream<Int>.ofRequests.cancelOnGracefulShutdown() {
            let user = try await cache.load(
                json: "user:\(id)", tags: ["users"], lifetime: .after(.seconds(60))
            ) {
                try await Database.user(id).user
            }
            print("GET /users/\(id):", user.name)
        }
    }

    @Sendable static func run(_ cache: CacheClient) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // In reverse order of their end: the client is closed last.
                services: [
                    .init(service: CacheClientService(cache)),
                    .init(
                        service: UserService(cache: cache),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigint, .sigterm], logger: Logger(label: "users")))
        try await group.run()
    }
}

extension AsyncStream<Int> {
    /// Stands for the requests of a web server.
    fileprivate static var ofRequests: AsyncStream<Int> {
        AsyncStream { continuation in
            for id in 1...3 { continuation.yield(id) }
            continuation.finish()
        }
    }
}
