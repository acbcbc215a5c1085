import CacheAccess
import CacheModel
import Cryptography
import Foundation
import Logging
import Testing
import TestSupport

@testable import CacheHTTP
@testable import GatewayServer

@Suite struct WebKeyStoreTests {
    private let maker: TokenMaker
    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("martlet-keys-\(UUID().uuidString)")

    init() throws { maker = try TokenMaker() }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// With a book of all keys, or of the file that `text` is.
    private func withBook(
        _ text: String? = nil, mode: Int = 0o600, issuer: String? = nil,
        _ body: (WebKeyStore) throws -> Void
    ) throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write(try text ?? maker.keys(), mode: mode)
        try body(
            try WebKeyStore(
                WebTokenOptions(keysFile: file.path, audience: "martlet", issuer: issuer),
                Self.logger))
    }

    private static func refusal(_ book: WebKeyStore, _ token: String) -> String? {
        do throws(WebToken.Damage) {
            _ = try book.entry(of: token)
            return nil
        } catch {
            return error.sentence
        }
    }

    private func refusal(
        _ book: WebKeyStore, _ key: String, _ claims: String = TokenMaker.claims()
    ) throws -> String? {
        Self.refusal(book, try maker.token(key, claims))
    }

    @Test(arguments: ["es", "ed", "rs", "ps", "hs"])
    func aTokenGrantsExactlyTheRightsItStates(key: String) throws {
        try withBook { book in
            let entry = try book.entry(of: maker.token(key))
            #expect(entry.name == "web" && entry.rights == [.read, .write])
            let images = try #require(Namespace("images"))
            let sessions = try #require(Namespace("sessions"))
            #expect(entry.may(.read, with: Scope(.namespace(images))))
            #expect(!entry.may(.invalidate, with: Scope(.namespace(images))))
            #expect(
                entry.may(.write, with: Scope(.key(try #require(CacheKey("u:1")), in: sessions))))
            #expect(
                !entry.may(.write, with: Scope(.key(try #require(CacheKey("v:1")), in: sessions))))
            #expect(book.holds(entry))
        }
    }

    @Test(arguments: ["es", "ed", "rs", "ps", "hs"])
    func aSignatureThatIsNotRightOpensNothing(key: String) throws {
        try withBook { book in
            let token = try maker.token(key)
            let parts = token.split(separator: ".").map(String.init)
            let other = TokenMaker.text(
                TokenMaker.claims(rights: #"{"roles":["admin"],"patterns":["*"]}"#).utf8)
            let flipped = parts[2].hasPrefix("A") ? "B" : "A"
            for wrong in [
                "\(parts[0]).\(other).\(parts[2])", "\(parts[0]).\(parts[1]).",
                "\(parts[0]).\(parts[1]).\(flipped)\(parts[2].dropFirst())",
                "\(parts[0]).\(parts[1]).AAAA",
            ] {
                #expect(Self.refusal(book, wrong) == "the token's signature is not right")
            }
        }
    }

    /// Each of these is signed by the key that it names.
    @Test(arguments: [
        (#"{"alg":"none","kid":"es"}"#, "alg"), (#"{"alg":"None","kid":"es"}"#, "alg"),
        (#"{"alg":"HS256","kid":"es"}"#, "not that of its key"),
        (#"{"alg":"RS256","kid":"es"}"#, "not that of its key"), (#"{"alg":"ES256"}"#, "kid"),
        (#"{"kid":"es"}"#, "alg"), (#"{"alg":"ES256","kid":"ex"}"#, "no key"),
        (#"{"alg":"ES256","kid":"es","crit":["exp"]}"#, "crit"), (#"["ES256"]"#, "object"),
        (#"{"alg":"ES256","kid":7}"#, "kid"),
        (#"{"alg":"ES256","alg":"none","kid":"es"}"#, "twice"),
    ])
    func aHeaderDecidesNothing(header: String, word: String) throws {
        try withBook { book in
            let sentence = Self.refusal(book, try maker.token("es", header: header))
            #expect(sentence?.contains(word) == true, "\(sentence ?? "taken")")
        }
    }

    /// The oldest trick: what is published as a key is used as a secret.
    @Test func aPublicKeyIsNoSecret() throws {
        try withBook { book in
            let header = TokenMaker.text(#"{"alg":"HS256","kid":"es"}"#.utf8)
            let signed = "\(header).\(TokenMaker.text(TokenMaker.claims().utf8))"
            let secret = try maker.p256.point()
            let code = try SigningKey.code(for: Array(signed.utf8), secret, .sha256)
            #expect(
                Self.refusal(book, "\(signed).\(TokenMaker.text(code))")
                    == "the token's alg is not that of its key")
        }
    }

    @Test(arguments: [
        (TokenMaker.claims(end: TokenMaker.now - 31), "over"),
        (TokenMaker.claims(more: #","nbf":\#(TokenMaker.now + 86_400)"#), "not to be used yet"),
        (TokenMaker.claims(audience: #""other""#), "aud"),
        (TokenMaker.claims(audience: #"["a","b"]"#), "aud"),
        (TokenMaker.claims(audience: "null"), "aud"), (TokenMaker.claims(rights: "7"), "martlet"),
        (TokenMaker.claims(rights: #"{"roles":["read"]}"#), "roles and patterns"),
        (TokenMaker.claims(rights: #"{"roles":[],"patterns":["*"]}"#), "roles"),
        (TokenMaker.claims(rights: #"{"roles":["node"],"patterns":["*"]}"#), "roles"),
        (TokenMaker.claims(rights: #"{"roles":["read"],"patterns":["a b"]}"#), "patterns"),
        (#"{"aud":"martlet","martlet":{"roles":["read"],"patterns":["*"]}}"#, "no exp"),
        (#"{"exp":"soon","aud":"martlet"}"#, "exp"), ("7", "object"),
        (#"{"exp":1e300,"aud":"martlet"}"#, "exp"), (#"{"exp":-5,"aud":"martlet"}"#, "exp"),
    ])
    func whatATokenSaysIsChecked(claims: String, word: String) throws {
        try withBook { book in
            let sentence = Self.refusal(book, try maker.token("ed", claims))
            #expect(sentence?.contains(word) == true, "\(sentence ?? "taken")")
        }
    }

    @Test func clocksMayDifferALittle() throws {
        try withBook { book in
            for claims in [
                TokenMaker.claims(end: TokenMaker.now - 10),
                TokenMaker.claims(more: #","nbf":\#(TokenMaker.now + 10).5"#),
                TokenMaker.claims(audience: #"["x","martlet"]"#),
            ] {
                let sentence = try refusal(book, "es", claims)
                #expect(sentence == nil)
            }
        }
    }

    @Test func anIssuerThatIsNamedIsTheOnlyOne() throws {
        try withBook(issuer: "us") { book in
            let sentence = try refusal(book, "es")
            #expect(sentence == nil)
            let others = TokenMaker.claims().replacing(#""us""#, with: #""them""#)
            let theirs = try refusal(book, "es", others)
            #expect(theirs?.contains("issuer") == true)
        }
    }

    @Test func aKeyThatIsTakenOutTakesItsTokensWithIt() throws {
        try withBook { book in
            let entry = try book.entry(of: maker.token("es"))
            try write("{")
            book.look(Self.logger)
            #expect(book.holds(entry), "a wrong file changes nothing")
            try write(try maker.keys(["ed"]))
            book.look(Self.logger)
            #expect(!book.holds(entry))
            let (old, new) = (try refusal(book, "es"), try refusal(book, "ed"))
            #expect(old?.contains("no key") == true)
            #expect(new == nil)
            // Another key of the same name is another.
            let strangers = try TokenMaker()
            try write(try strangers.keys(["es"]))
            book.look(Self.logger)
            #expect(!book.holds(entry))
        }
    }

    @Test(arguments: [
        ("{}", "JWKS"), (#"{"keys":[]}"#, "1 to"), ("[", "byte"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, "no kid"),
        (#"{"keys":[{"kid":"a","kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, "cannot be used"),
        (#"{"keys":[{"kid":"a","kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}]}"#, "private"),
        (#"{"keys":[{"kid":"a","kty":"RSA","alg":"RS256","n":"AQAB","e":"AQAB"}]}"#, "2048"),
        (#"{"keys":[{"kid":"a","kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, "alg"),
        (#"{"keys":[{"kid":"a","kty":"RSA","alg":"HS256","n":"AQAB","e":"AQAB"}]}"#, "kty"),
        (#"{"keys":[{"kid":"a","kty":"oct","alg":"HS256","k":"AAAA"}]}"#, "32 bytes"),
        (#"{"keys":[{"kid":"a","kty":"oct","alg":"none","k":"AAAA"}]}"#, "alg"),
        (#"{"keys":[{"kid":"a","kty":"OKP","crv":"Ed25519","x":"AAAA","use":"enc"}]}"#, "use"),
    ])
    func aFileOfKeysThatMakesNoSenseIsRefused(text: String, word: String) throws {
        do {
            try withBook(text) { _ in Issue.record("taken") }
        } catch let error as GatewayStartError {
            #expect(error.description.contains(word), "\(error)")
        }
    }

    /// Issuers have them beside those that sign: RFC 7517, 5.
    @Test func aKeyForSomethingElseIsPassedOver() throws {
        let others = [
            #"{"kid":"e","kty":"RSA","use":"enc","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"}"#,
            #"{"kid":"k","kty":"EC","crv":"secp256k1","alg":"ES256K","x":"AA","y":"AA"}"#,
            #"{"kty":"new","alg":"NEW1"}"#,
        ]
        for other in others {
            let keys = try maker.keys(["es"]).replacing("[{", with: "[\(other),{")
            try withBook(keys) { book in
                let refused = try refusal(book, "es")
                #expect(refused == nil)
            }
        }
    }

    @Test func aCorrectlySignedTokenWithUnusableClaimsIsRefused() throws {
        try withBook { book in
            let authenticator = try #require(TokenAuthenticator(list: nil, webKeys: book))
            for (claims, kind) in [
                (TokenMaker.claims(rights: "7"), ProblemKind.forbidden),
                (TokenMaker.claims(rights: #"{"roles":[],"patterns":["*"]}"#), .forbidden),
                (TokenMaker.claims(audience: #""other""#), .unauthenticated),
                (TokenMaker.claims(end: TokenMaker.now - 86_400), .unauthenticated),
            ] {
                let token = try maker.token("ed", claims)
                let problem = #expect(throws: Problem.self) { try authenticator.entry(of: token) }
                #expect(problem?.kind == kind, "\(claims)")
            }
        }
    }

    @Test func aSecretThatBecomesEverybodysIsSaidOnce() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let log = LinesLogged()
        try write(try maker.keys())
        let book = try WebKeyStore(
            WebTokenOptions(keysFile: file.path, audience: "martlet", issuer: nil), log.logger)
        try write(try maker.keys(), mode: 0o644)
        for _ in 0..<3 { book.look(log.logger) }
        #expect(log.lines.filter { $0.contains("chmod 600") }.count == 1, "\(log.lines)")
        try write(try maker.keys())
        for _ in 0..<3 { book.look(log.logger) }
        #expect(log.lines.filter { $0.contains("are right again") }.count == 1, "\(log.lines)")
    }

    @Test func aKeyFileWithASecretMustNotBeReadableByOthers() throws {
        #expect(throws: GatewayStartError.self) { try withBook(mode: 0o644) { _ in } }
        // What is no secret may be read by all.
        try withBook(try maker.keys(["es", "rs"]), mode: 0o644) { _ in }
    }
}
