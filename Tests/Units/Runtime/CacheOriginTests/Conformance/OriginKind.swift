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

    @Sendable private static func load(_ request: OriginRequest) async throws -> OriginReply {
        let body: [UInt8] = Array("no".utf8)
        if let write = request.write {
            let isRight = write.idempotencyKey == Self.name
            switch request.key.description {
            case "takes":
                return OriginReply(
                    status: isRight ? 204 : 400, fields: [], body: body, elapsed: .zero)
            case "refuses":
                return OriginReply(
                    status: 422, fields: [], body: Array("too old".utf8), elapsed: .zero)
            default: break
            }
        }
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

    /// What the write of ``OriginConformance`` is known by.
    static let name = "\"0000000000000001-0000000000000002\""

    private static let program = """
        case "$1" in
        takes) value=$(cat)
            [ "$MARTLET_IDEMPOTENCY_KEY" = '"0000000000000001-0000000000000002"' ] || exit 45
            case "$MARTLET_METHOD$value" in PUTnew|DELETE) exit 0;; *) exit 45;; esac;;
        refuses) cat > /dev/null; printf 'too old'; exit 45;;
        bytes-*) head -c "${1#bytes-}" /dev/zero;;
        absent) exit 44;;
        busy) exit 1;;
        hang) sleep 40; exit 1;;
        esac
        """
}
