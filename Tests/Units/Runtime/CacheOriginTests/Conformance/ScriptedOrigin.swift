import CacheOrigin
import Testing

/// An origin of which a key says what it does: `bytes-5` has a value of five zeros, `absent` has
/// none, `busy` cannot be had now, and `hang` is never answered.
enum ScriptedOrigin {
    /// Runs `body` with an origin and the URL of its requests. `body` shuts it down.
    static func with(_ body: (HTTPOrigin, String) async throws -> Void) async throws {
        try await RawServer.with(serve) { server in
            try await body(try HTTPOrigin(.test), server.url)
            await server.until { $0.open == 0 }
        }
    }

    @Sendable private static func serve(_ request: RawRequest, _ connection: RawConnection) {
        switch request.key {
        case "takes":
            let name = request.values(of: "idempotency-key").first ?? ""
            let method = request.head.prefix { $0 != " " }
            let isRight = name == Self.name && (method == "PUT" || method == "DELETE")
            connection.send("HTTP/1.1 \(isRight ? 204 : 400) Some\r\nContent-Length: 0\r\n\r\n")
        case "refuses":
            connection.send("HTTP/1.1 422 No\r\nContent-Length: 7\r\n\r\ntoo old")
        case "absent": connection.send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno")
        case "busy": connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno")
        case "hang": break
        default:
            let count = Int(request.key.dropFirst("bytes-".count)) ?? 0
            connection.answer(String(repeating: "\u{0}", count: count))
        }
    }

    /// What the write of ``OriginConformance`` is known by.
    static let name = "\"0000000000000001-0000000000000002\""
}
