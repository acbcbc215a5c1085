import CacheOrigin

extension HTTPOriginSettings {
    /// A machine that stops for a while must not cost a test a connection.
    static var test: HTTPOriginSettings {
        var settings = HTTPOriginSettings()
        settings.idleTimeout = .seconds(600)
        settings.connectTimeout = .seconds(20)
        return settings
    }
}

extension HTTPOrigin {
    /// Runs `body` with an origin and shuts it down, whatever happens.
    static func with(
        _ settings: HTTPOriginSettings = .test, body: (HTTPOrigin) async throws -> Void
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
