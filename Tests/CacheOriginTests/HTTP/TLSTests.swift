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
            var settings = HTTPOriginSettings()
            settings.tls.authorityFile = isAuthorityNamed ? folder.path + "/ca.pem" : nil
            var outcome = AttemptOutcome.failed(.broken)
            try await Nginx.with(folder, tls: speaksTLS ? ("own.pem", "own.key") : nil) { nginx in
                try await HTTPOrigin.with(settings) { origin in
                    let url = nginx.url.replacing("http://", with: "https://")
                    outcome = await origin.outcome(of: try .test("f", from: url))
                    let again = await origin.outcome(of: try .test("f", from: url))
                    #expect(again.reply?.body == outcome.reply?.body)
                }
            }
            return outcome
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

    @Test(arguments: ["/nowhere/ca.pem", "/etc/hostname"])
    func anAuthorityFileThatIsNoneIsNamed(path: String) {
        var settings = HTTPOriginSettings()
        settings.tls.authorityFile = path
        let error = #expect(throws: HTTPOriginError.self) { try HTTPOrigin(settings) }
        let text = error?.description ?? ""
        #expect(text.contains(path) && !text.contains("\n"))
    }
}
