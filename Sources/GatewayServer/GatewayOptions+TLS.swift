import AccessControl
import NIOSSL

extension GatewayOptions.Certificate {
    /// TLS 1.2 and later, with this certificate.
    func configuration() throws(GatewayStartError) -> TLSConfiguration {
        let secret = try keyBytes()
        let chain: [NIOSSLCertificateSource]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(chainFile).map { .certificate($0) }
        } catch {
            throw .certificate(file: chainFile, reason: "\(error)")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: secret, format: .pem)
        } catch {
            throw .certificate(file: keyFile, reason: "\(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        // The framework's own would be 1.0.
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    /// What is in the key's file, which nobody else may read.
    private func keyBytes() throws(GatewayStartError) -> [UInt8] {
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(
                of: keyFile, bytesMax: GatewayLimits.keyFileBytesMax, isSecret: true)
        } catch {
            if case .open(let mode) = error { throw .keyReadableByOthers(keyFile, mode: mode) }
            throw .certificate(file: keyFile, reason: error.reason)
        }
    }
}
