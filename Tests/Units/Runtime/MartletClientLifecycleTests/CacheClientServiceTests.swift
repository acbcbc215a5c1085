import CacheModel
import Logging
import MartletClient
import MartletClientLifecycle
import ServiceLifecycle
import Testing

@Suite struct CacheClientServiceTests {
    /// A service that uses the client at its end, as a server does for its last requests.
    private struct LastRequest: Service {
        let cache: CacheClient
        let code: AsyncStream<CacheError.Code?>.Continuation

        func run() async throws {
            try await gracefulShutdown()
            code.yield(await Self.code(of: cache))
        }

        /// Why a read of the client fails.
        static func code(of cache: CacheClient) async -> CacheError.Code? {
            do throws(CacheError) {
                _ = try await cache.get("key")
                return nil
            } catch {
                return error.code
            }
        }
    }

    private func client() throws -> CacheClient {
        var configuration = CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"])
        configuration.timeout = .milliseconds(50)
        return try CacheClient(configuration)
    }

    @Test func aGroupClosesTheClientAfterTheServicesThatUseIt() async throws {
        let cache = try client()
        let (codes, code) = AsyncStream<CacheError.Code?>.makeStream()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: CacheClientService(cache)),
                    .init(service: LastRequest(cache: cache, code: code)),
                ], logger: Logger(label: "test")))
        async let run: Void = group.run()
        await group.triggerGracefulShutdown()
        try await run
        let atTheEnd = await codes.first { _ in true }
        #expect(atTheEnd == .disconnected, "the client was still open")
        #expect(await LastRequest.code(of: cache) == .closed)
    }

    @Test func aCancelledGroupClosesTheClientToo() async throws {
        let cache = try client()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: CacheClientService(cache))],
                logger: Logger(label: "test")))
        let run = Task { try await group.run() }
        run.cancel()
        _ = await run.result
        #expect(await LastRequest.code(of: cache) == .closed)
    }
}
