import AccessControl
import Logging
import NIOCore
import NIOSSL
import Threading

/// The gateway's certificate and its key, read at intervals.
///
/// New files apply to connections that are opened from then on. Files that cannot be used, and a
/// key that does not match the certificate – the two are written one after the other –, leave the
/// last valid ones in force, and the log reports the problem.
final class CertificateStore: WatchedFile {
    private struct State: Sendable {
        var files: Files
        var override: NIOSSLContextConfigurationOverride
    }

    private struct Files: Equatable, Sendable {
        var chain: [UInt8]
        var key: [UInt8]
    }

    private let certificate: GatewayOptions.Certificate
    private let state: Guarded<State>
    private let refused = Guarded(RefusedContent<Files, GatewayStartError>())
    private let problem = FileProblem(
        kept: "the last right certificate stays in force", over: "the certificate is right again")
    /// TLS 1.2 and later; each connection uses the certificate that is current when it opens.
    let configuration: TLSConfiguration

    /// Reads the files.
    ///
    /// - Throws: ``GatewayStartError`` if they cannot be used.
    init(_ certificate: GatewayOptions.Certificate) throws(GatewayStartError) {
        self.certificate = certificate
        let files = try Self.read(certificate)
        var configuration = try Self.configuration(files, certificate)
        let state = Guarded(State(files: files, override: Self.override(configuration)))
        configuration.sslContextCallback = { _, promise in
            promise.succeed(state.withLock(\.override))
        }
        self.configuration = configuration
        self.state = state
    }

    func look(_ logger: Logger) {
        do throws(GatewayStartError) {
            let files = try Self.read(certificate)
            if try isTakenOver(files) {
                logger.info("the certificate in \(certificate.chainFile) is in force")
            }
            problem.note(nil, logger)
        } catch {
            problem.note(error.description, logger)
        }
    }

    /// - Returns: `false` if they are in force already.
    private func isTakenOver(_ files: Files) throws(GatewayStartError) -> Bool {
        guard files != state.withLock(\.files) else { return false }
        let configuration = try refused.withLock { refused throws(GatewayStartError) in
            try refused.judge(files) { files throws(GatewayStartError) in
                try Self.configuration(files, certificate)
            }
        }
        state.withLock { state in
            state.files = files
            state.override = Self.override(configuration)
        }
        return true
    }

    private static func override(
        _ configuration: TLSConfiguration
    ) -> NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = configuration.certificateChain
        override.privateKey = configuration.privateKey
        return override
    }

    private static func configuration(
        _ files: Files, _ certificate: GatewayOptions.Certificate
    ) throws(GatewayStartError) -> TLSConfiguration {
        let chain: [NIOSSLCertificateSource]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(files.chain).map { .certificate($0) }
        } catch {
            throw .certificate(file: certificate.chainFile, reason: "\(error)")
        }
        do {
            let key = try NIOSSLPrivateKey(bytes: files.key, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            // The framework's default would be 1.0.
            configuration.minimumTLSVersion = .tlsv12
            // Also detects a key that does not match the certificate.
            _ = try NIOSSLContext(configuration: configuration)
            return configuration
        } catch {
            throw .certificate(file: certificate.keyFile, reason: "\(error)")
        }
    }

    private static func read(
        _ certificate: GatewayOptions.Certificate
    ) throws(GatewayStartError) -> Files {
        let key = try contents(
            of: certificate.keyFile, bytesMax: GatewayLimits.keyFileBytesMax, isSecret: true)
        let chain = try contents(
            of: certificate.chainFile, bytesMax: GatewayLimits.chainFileBytesMax, isSecret: false)
        return Files(chain: chain, key: key)
    }

    /// - Parameter isSecret: whether no user other than this process's may read it.
    private static func contents(
        of file: String, bytesMax: Int, isSecret: Bool
    ) throws(GatewayStartError) -> [UInt8] {
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(of: file, bytesMax: bytesMax, isSecret: isSecret)
        } catch {
            if case .open(let mode) = error { throw .keyReadableByOthers(file, mode: mode) }
            throw .certificate(file: file, reason: error.reason)
        }
    }
}
