#if Web
    import AsyncHTTPClient
    import CacheModel
    import NIOCore
    import NIOSSL
    import CacheMetrics

    extension HTTPClient.Configuration {
        /// A client for one server, with one request at a time and no tracing.
        static var ofSpans: HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = .ofSpans
            configuration.redirectConfiguration = .disallow
            configuration.decompression = .disabled
            configuration.httpVersion = .http1Only
            configuration.timeout.connect = TimeAmount(SpanLimits.attemptTime)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
            // The outbox decides about retries.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.tracing.tracer = nil
            return configuration
        }
    }

    extension TLSConfiguration {
        /// The system's certificate authorities, and TLS 1.2 or later: the framework's default is
        /// 1.0.
        static var ofSpans: TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }
    }
#endif
