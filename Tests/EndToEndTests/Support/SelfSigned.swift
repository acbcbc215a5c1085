import Foundation
import TestSupport

/// A certificate for 127.0.0.1 that signs itself, as files of PEM in a directory.
struct SelfSigned {
    let chain: String
    let key: String

    /// What a gateway is told of it.
    var arguments: [String] { ["--tls-certificate", chain, "--tls-key", key] }

    static func made(in directory: TemporaryDirectory) async throws -> SelfSigned {
        let made = SelfSigned(
            chain: directory.file("chain.pem").path, key: directory.file("key.pem").path)
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=gateway",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", made.key, "-out", made.chain,
        ]
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        try await eventually("openssl ends") { !openssl.isRunning }
        guard openssl.terminationStatus == 0 else { throw GaveUp("openssl made nothing") }
        return made
    }
}
