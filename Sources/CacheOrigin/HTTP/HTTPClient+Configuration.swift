#if Web
    import AsyncHTTPClient
    import NIOCore
    import NIOSSL

    extension HTTPClient.Configuration {
        init(_ settings: HTTPOriginSettings) throws(HTTPOriginError) {
            self.init()
            tlsConfiguration = try TLSConfiguration(settings.tls)
            redirectConfiguration = .disallow
            decompression = .disabled
            httpVersion = .http1Only
            timeout.connect = TimeAmount(settings.connectTimeout)
            connectionPool.idleTimeout = TimeAmount(settings.idleTimeout)
            connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
                settings.connectionsPerHostMax
            // Who retries, and when, is decided elsewhere: a refused connection is to be told at
            // once.
            connectionPool.retryConnectionEstablishment = false
            tracing.tracer = nil
            http1_1ConnectionDebugInitializer = RequestTargetHandler.add(to:)
        }
    }

    extension TLSConfiguration {
        fileprivate init(_ settings: HTTPOriginSettings.TLS) throws(HTTPOriginError) {
            self = .makeClientConfiguration()
            minimumTLSVersion = .tlsv12
            guard let path = settings.authorityFile else { return }
            do {
                additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))]
            } catch {
                throw .authorityFileUnreadable(path: path, reason: "\(error)")
            }
        }
    }
#endif
