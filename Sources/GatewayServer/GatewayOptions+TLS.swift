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
        let file: OpenedFile
        do throws(OpenedFile.Failure) { file = try OpenedFile(keyFile) } catch {
            throw .certificate(file: keyFile, reason: error.reason)
        }
        guard file.isOrdinary else {
            throw .certificate(file: keyFile, reason: "it is no file")
        }
        guard !file.isOpen else { throw .keyReadableByOthers(keyFile, mode: file.mode) }
        let most = GatewayLimits.keyFileBytesMax
        let bytes: [UInt8]?
        do throws(OpenedFile.Failure) {
            bytes = try file.contents(bytesMax: most)
        } catch {
            throw .certificate(file: keyFile, reason: error.reason)
        }
        guard let bytes else {
            throw .certificate(file: keyFile, reason: "it is longer than \(most) bytes")
        }
        return bytes
    }
}
