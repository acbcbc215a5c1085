#if Web
    import AsyncHTTPClient
    import CacheLoading
    import NIOCore
    import NIOSSL

    extension HTTPClient.Configuration {
        init(_ settings: HTTPOriginSettings) {
            self.init()
            tlsConfiguration = .ofOrigins
            redirectConfiguration = .disallow
            decompression = .disabled
            httpVersion = .http1Only
            timeout.connect = TimeAmount(settings.connectTimeout)
            connectionPool.idleTimeout = TimeAmount(settings.idleTimeout)
            connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
                settings.connectionsPerHostMax
            // Retries are decided elsewhere: a refused connection is to be told at once.
            connectionPool.retryConnectionEstablishment = false
            tracing.tracer = nil
            http1_1ConnectionDebugInitializer = RequestTargetHandler.add(to:)
        }
    }

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
