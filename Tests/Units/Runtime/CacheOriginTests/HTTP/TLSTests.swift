import CacheLoading
import CacheModel
import CacheOrigin
import Testing
import TestSupport

/// Whom an origin over TLS believes.
@Suite(
    .enabled("nginx is not installed: ensure_nginx in deploy/lib.sh", Programs.haveNginx),
    .enabled("openssl is not installed", Programs.haveOpenSSL),
    .timeLimit(.minutes(3)))
struct TLSTests {
    private struct NoCertificate: Error {}

    /// Makes an authority, and a certificate by it for `name`.
    private func certify(_ name: String, in folder: TemporaryDirectory) async throws {
        let path = folder.path
        try folder.write(Array("subjectAltName=\(name)\n".utf8), to: "names")
        let steps = [
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                + "-subj /CN=Authority -keyout \(path)/ca.key -out \(path)/ca.pem",
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Origin "
                + "-keyout \(path)/own.key -out \(path)/own.csr",
            "x509 -req -in \(path)/own.csr -CA \(path)/ca.pem -CAkey \(path)/ca.key "
                + "-CAcreateserial -days 2 -extfile \(path)/names -out \(path)/own.pem",
        ]
        for step in steps {
            let words = ["openssl"] + step.split(separator: " ").map(String.init)
            guard await Programs.succeeds(words) else { throw NoCertificate() }
        }
    }

    /// What comes of an attempt at a server whose certificate is for `name`.
    private func outcome(
        certificateFor name: String, isAuthorityNamed: Bool, speaksTLS: Bool = true
    ) async throws -> AttemptOutcome {
        try await TemporaryDirectory.with { folder in
            try await certify(name, in: folder)
            try folder.write([7, 8], to: "files/f")
            let trust = OriginTrust(authority: try folder.read("ca.pem"))
            var outcome = AttemptOutcome.failed(.broken)
            try await Nginx.with(folder, tls: speaksTLS ? ("own.pem", "own.key") : nil) { nginx in
                outcome = try await answer(of: nginx, isAuthorityNamed ? trust : nil)
                #expect(
                    try await answer(of: nginx, isAuthorityNamed ? trust : nil).reply?.body
                        == outcome.reply?.body)
            }
            return outcome
        }
    }

    private func answer(
        of nginx: Nginx, _ trust: OriginTrust?
    ) async throws -> AttemptOutcome {
        var outcome = AttemptOutcome.failed(.broken)
        try await HTTPOrigin.with { origin in
            let url = nginx.url.replacing("http://", with: "https://")
            var request = try OriginRequest.test("f", from: url)
            request.trust = trust
            outcome = await origin.outcome(of: request)
        }
        return outcome
    }

    /// The server accepts only clients with a certificate of its authority.
    @Test func aClientCertificateIsShownWhereOneIsAskedFor() async throws {
        try await TemporaryDirectory.with { folder in
            try await certify("IP:127.0.0.1", in: folder)
            try folder.write([7, 8], to: "files/f")
            let settings = "ssl_client_certificate \(folder.path)/ca.pem; ssl_verify_client on;"
            try await Nginx.with(
                folder, tls: ("own.pem", "own.key"), settings: settings
            ) { nginx in
                var trust = OriginTrust(authority: try folder.read("ca.pem"))
                #expect(try await answer(of: nginx, trust).reply?.status == 400)
                trust.certificate = try folder.read("own.pem")
                trust.key = try folder.read("own.key")
                #expect(try await answer(of: nginx, trust).reply?.body == [7, 8])
            }
        }
    }

    @Test func aKeyOfAnotherCertificateIsFoundBeforeAConnection() async throws {
        try await TemporaryDirectory.with { folder in
            try await certify("IP:127.0.0.1", in: folder)
            let trust = OriginTrust(
                certificate: try folder.read("own.pem"), key: try folder.read("ca.key"))
            #expect(throws: HTTPOriginError.self) { try HTTPOrigin.check(trust) }
        }
    }

    @Test func aPrivateAuthorityIsBelievedWhereItIsNamed() async throws {
        let named = try await outcome(certificateFor: "IP:127.0.0.1", isAuthorityNamed: true)
        #expect(named.reply?.body == [7, 8])
    }

    @Test func anUnknownAuthorityIsNot() async throws {
        let unnamed = try await outcome(certificateFor: "IP:127.0.0.1", isAuthorityNamed: false)
        #expect(unnamed == .failed(.unreachable))
    }

    @Test func aCertificateOfAnotherNameIsNot() async throws {
        let other = try await outcome(certificateFor: "DNS:other.test", isAuthorityNamed: true)
        #expect(other == .failed(.unreachable))
    }

    @Test func aServerWithoutTLSIsNotSpokenTo() async throws {
        let plain = try await outcome(
            certificateFor: "IP:127.0.0.1", isAuthorityNamed: true, speaksTLS: false)
        #expect(plain == .failed(.unreachable))
    }

    @Test(arguments: [
        "", "no PEM\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    ])
    func anAuthorityThatIsNoneIsRefusedInOneLine(text: String) {
        let error = #expect(throws: HTTPOriginError.self) {
            try HTTPOrigin.check(OriginTrust(authority: Array(text.utf8)))
        }
        let description = error?.description ?? "\n"
        #expect(!description.contains("\n") && description.contains("PEM"))
    }
}
