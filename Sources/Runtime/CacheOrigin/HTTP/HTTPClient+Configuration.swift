#if Web
    import AsyncHTTPClient
    import NIOCore

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
#endif
