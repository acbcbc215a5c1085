import CacheOrigin

extension HTTPOrigin {
    /// Runs `body` with an origin and shuts it down, whatever happens.
    static func with(
        _ settings: HTTPOriginSettings = .init(), body: (HTTPOrigin) async throws -> Void
    ) async throws {
        let origin = try HTTPOrigin(settings)
        do {
            try await body(origin)
        } catch {
            await origin.shutDown()
            throw error
        }
        await origin.shutDown()
    }
}
