import CacheHTTP
import CacheModel
import Foundation
import TestSupport
import Testing

@testable import GatewayServer

@Suite struct GatewayAdmissionTests {
    /// - Parameter list: of tokens; `nil`: none is asked for.
    private static func admission(_ list: String?) throws -> GatewayAdmission {
        let tokens = try list.map { list in
            try withTemporaryFile(Data(list.utf8), mode: 0o600) { try TokenStore($0) }
        }
        return GatewayAdmission(
            origins: .none, tokens: TokenAuthenticator(list: tokens, webKeys: nil), isLoopback: true
        )
    }

    private static func refusal(
        _ list: String?, _ method: String, _ target: String, token: String? = nil
    ) throws -> ProblemKind? {
        var fields = FieldList()
        if let token { fields.append("Authorization", "Bearer \(token)") }
        let admission = try Self.admission(list)
        do throws(Problem) {
            _ = try admission.admit(
                RequestHead(method, target, fields, authority: "localhost"))
            return nil
        } catch {
            return error.kind
        }
    }

    private static let writers = "w \(TokenHash.hash("secret")) write"

    /// Neither the answer nor its time shows which values are kept near: rights are checked before
    /// anything is looked up.
    @Test func theRightsOfAReaderAreCheckedBeforeAnyLookup() throws {
        #expect(try Self.refusal(Self.writers, "GET", "/v1/n/k") == .unauthenticated)
        #expect(try Self.refusal(Self.writers, "GET", "/v1/n/k", token: "x") == .unauthenticated)
        #expect(try Self.refusal(Self.writers, "GET", "/v1/n/k", token: "secret") == .forbidden)
        #expect(try Self.refusal(nil, "GET", "/v1/n/k") == nil)
    }

    @Test func aRequestIsReadBeforeItsTokenIsAskedFor() throws {
        #expect(try Self.refusal(Self.writers, "GET", "/v1") == .unknownRoute)
        #expect(try Self.refusal(Self.writers, "PATCH", "/v1/n/k") == .methodNotAllowed)
    }

    @Test(arguments: ["/v1/openapi.json", "/v1/openapi-3.1.json", "/dashboard", "/v1/stream"])
    func noTokenIsAskedForHere(target: String) throws {
        #expect(try Self.refusal(Self.writers, "GET", target) == nil)
    }

    @Test func eachRequestIsOneOfThree() throws {
        let admission = try Self.admission(nil)
        func admitted(_ method: String, _ target: String) throws -> GatewayAdmission.Admitted {
            try admission.admit(RequestHead(method, target, FieldList(), authority: "localhost"))
        }
        guard case .answered(let page) = try admitted("GET", "/dashboard") else {
            Issue.record("the dashboard is answered by the head")
            return
        }
        #expect(page.status == 200)
        guard case .stream(let order) = try admitted("GET", "/v1/stream?everything") else {
            Issue.record("the stream has a door of its own")
            return
        }
        #expect(order.targets == [.everything])
        guard case .order(.read, .anybody) = try admitted("HEAD", "/v1/n/k") else {
            Issue.record("a key is read")
            return
        }
    }
}
