#if Web
    import CacheLoading
    import NIOSSL

    extension TLSConfiguration {
        /// The system's authorities, no certificate of our own.
        static var ofOrigins: TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }

        /// What a namespace's files say, if a connection can be opened with it.
        init(_ trust: OriginTrust) throws(HTTPOriginError) {
            self = .ofOrigins
            do {
                if let authority = trust.authority {
                    let roots = try NIOSSLCertificate.fromPEMBytes(authority)
                    guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
                    additionalTrustRoots = [.certificates(roots)]
                }
                if let certificate = trust.certificate, let key = trust.key {
                    certificateChain = try NIOSSLCertificate.fromPEMBytes(certificate)
                        .map { .certificate($0) }
                    privateKey = .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem))
                }
                // Also finds a key that is not the certificate's.
                _ = try NIOSSLContext(configuration: self)
            } catch {
                throw .trustUnusable(reason: "\(error)")
            }
        }
    }
#endif
