import AccessControl
import NIOSSL

extension GatewayOptions.Certificate {
    /// TLS 1.2 and later, with this certificate.
    func configuration() throws(GatewayStartError) -> TLSConfiguration {
        if let manners = FileManners(keyFile), manners.isOpen {
            throw .keyReadableByOthers(keyFile, mode: manners.mode)
        }
        let chain: [NIOSSLCertificateSource]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(chainFile).map { .certificate($0) }
        } catch {
            throw .certificate(file: chainFile, reason: "\(error)")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
        } catch {
            throw .certificate(file: keyFile, reason: "\(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        // The framework's own would be 1.0.
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
