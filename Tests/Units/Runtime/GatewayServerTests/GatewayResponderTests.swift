import CacheHTTP
import CacheModel
import Foundation
import HTTPTypes
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import GatewayServer
@testable import MartletClient

@Suite struct GatewayResponderTests {
    /// - Parameter client: it is never asked.
    private static func responder(
        _ tokens: TokenStore, _ client: CacheClient
    ) -> GatewayResponder {
        let authenticator = TokenAuthenticator(list: tokens, webKeys: nil)
        let (meter, near) = (GatewayMeter(), SharedNearCache(.init(bytesMax: 1 << 20)))
        let room = ReadRoom(ValueBudget(bytesMax: 1 << 20))
        return GatewayResponder(
            admission: GatewayAdmission(
                origins: .none, tokens: authenticator, isLoopback: true),
            executor: OrderExecutor(
                client: client, room: room, isPrivate: true, near: near, meter: meter),
            stream: StreamDoor(
                sharedHub: SharedPushHub(subscribersMax: 1), tokens: authenticator, origins: .none),
            meter: meter, patience: .seconds(30), bodyBytesMax: 1 << 20)
    }

    /// A list with one token, and what replaces it by another one.
    private static func withTokens(
        _ body: (TokenStore, _ revoke: () throws -> Void) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        func write(_ token: String) throws {
            try Data("m \(TokenHash.hash(token)) metrics,read\n".utf8).write(to: file)
            chmod(file.path, 0o600)
        }
        try write("first")
        let tokens = try TokenStore(file.path)
        try await body(tokens) {
            try write("second")
            for _ in 0..<3 { tokens.look(LinesLogged().logger) }
        }
    }

    private static func request(_ target: String, token: String) -> HTTPRequest {
        HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: target,
            headerFields: [.authorization: "Bearer \(token)"])
    }

    private static func isAdmitted(_ decision: GatewayAdmission.Decision) -> Bool {
        if case .success = decision.admitted { true } else { false }
    }

    /// The token is revoked between the event loop and the task: a second look would show it.
    @Test(arguments: ["/v1/cluster", "/v1/n/k"])
    func aRequestThatIsNotNearIsAdmittedOnce(target: String) async throws {
        let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"]))
        try await Self.withTokens { tokens, revoke in
            let responder = Self.responder(tokens, client)
            let channel = EmbeddedChannel(handler: NearDoor(responder))
            let request = Self.request(target, token: "first")
            try channel.writeInbound(HTTPRequestPart.head(request))
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == .head(request))
            try revoke()
            #expect(Self.isAdmitted(responder.decision(about: request, on: channel)))
            // It was for one request.
            #expect(!Self.isAdmitted(responder.decision(about: request, on: channel)))
            _ = try channel.finish()
        }
        await client.close()
    }

    @Test func aRefusalIsHandedOnToo() async throws {
        let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"]))
        try await Self.withTokens { tokens, revoke in
            let responder = Self.responder(tokens, client)
            let channel = EmbeddedChannel(handler: NearDoor(responder))
            let request = Self.request("/v1/cluster", token: "second")
            try channel.writeInbound(HTTPRequestPart.head(request))
            try revoke()
            #expect(!Self.isAdmitted(responder.decision(about: request, on: channel)))
            _ = try channel.finish()
        }
        await client.close()
    }

    @Test func aConnectionThatEndsLeavesNoDecision() async throws {
        let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"]))
        try await Self.withTokens { tokens, _ in
            let responder = Self.responder(tokens, client)
            let channel = EmbeddedChannel(handler: NearDoor(responder))
            let request = Self.request("/v1/cluster", token: "first")
            try channel.writeInbound(HTTPRequestPart.head(request))
            _ = try channel.finish()
            #expect(responder.decisions.take(about: request, for: channel) == nil)
        }
        await client.close()
    }

    @Test func aDecisionIsNotUsedForAnotherRequest() async throws {
        let client = try CacheClient(CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"]))
        try await Self.withTokens { tokens, _ in
            let responder = Self.responder(tokens, client)
            let channel = EmbeddedChannel(handler: NearDoor(responder))
            try channel.writeInbound(
                HTTPRequestPart.head(Self.request("/v1/cluster", token: "first")))
            let other = Self.request("/v1/cluster", token: "unknown")
            #expect(!Self.isAdmitted(responder.decision(about: other, on: channel)))
            _ = try channel.finish()
        }
        await client.close()
    }
}
