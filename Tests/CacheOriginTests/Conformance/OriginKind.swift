import CacheLoading
import CacheModel
import CacheOrigin
import Testing

/// The origins that must keep the promises of `Origin`.
///
/// Each is set up so that a key says what it does: `bytes-5` has a value of five zeros, `absent`
/// has none, `busy` cannot be had now, and `hang` is never answered.
enum OriginKind: CaseIterable, CustomTestStringConvertible {
    case http, closure, command

    /// How many rounds of a race its cost allows.
    var roundsMax: Int { self == .command ? 300 : 4_000 }

    var testDescription: String { "\(self)" }

    /// Runs `body` with such an origin and the URL of its requests. `body` shuts it down.
    func with(_ body: (any Origin, String) async throws -> Void) async throws {
        switch self {
        case .http:
            try await RawServer.with(Self.serve) { server in
                try await body(try HTTPOrigin(.test), server.url)
                await server.until { $0.open == 0 }
            }
        case .closure: try await body(ClosureOrigin(Self.load), "http://unused/{key}")
        case .command:
            let template = try CommandTemplate(["/bin/sh", "-c", Self.program, "sh", "{key}"])
            try await body(CommandOrigin(template), "http://unused/{key}")
        }
    }

    @Sendable private static func serve(_ request: RawRequest, _ connection: RawConnection) {
        switch request.key {
        case "absent": connection.send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno")
        case "busy": connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno")
        case "hang": break
        default:
            let count = Int(request.key.dropFirst("bytes-".count)) ?? 0
            connection.answer(String(repeating: "\u{0}", count: count))
        }
    }

    @Sendable private static func load(_ request: OriginRequest) async throws -> OriginReply {
        let body: [UInt8] = Array("no".utf8)
        switch request.key.description {
        case "absent": return OriginReply(status: 404, fields: [], body: body, elapsed: .zero)
        case "busy": return OriginReply(status: 503, fields: [], body: body, elapsed: .zero)
        case "hang":
            // Until it is cancelled.
            let (nothing, source) = AsyncStream<Never>.makeStream()
            for await _ in nothing {}
            source.finish()
            throw CancellationError()
        default:
            let count = Int(request.key.description.dropFirst("bytes-".count)) ?? 0
            return OriginReply(
                status: 200, fields: [], body: Array(repeating: 0, count: count), elapsed: .zero)
        }
    }

    private static let program = """
        case "$1" in
        bytes-*) head -c "${1#bytes-}" /dev/zero;;
        absent) exit 44;;
        busy) exit 1;;
        hang) sleep 40; exit 1;;
        esac
        """
}
