#if Web
    import AsyncHTTPClient
    import CacheModel
    import NIOCore
    import NIOSSL
    import SpanCore

    extension HTTPClient.Configuration {
        /// A client that asks one place, one request at a time, and traces nothing itself.
        static var ofSpans: HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = .ofSpans
            configuration.redirectConfiguration = .disallow
            configuration.decompression = .disabled
            configuration.httpVersion = .http1Only
            configuration.timeout.connect = TimeAmount(SpanLimits.attemptTime)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
            // When it is tried again is decided elsewhere.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.tracing.tracer = nil
            return configuration
        }
    }

    extension TLSConfiguration {
        /// The system's authorities, and TLS 1.2 and later: the framework's own bound is 1.0.
        static var ofSpans: TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }
    }
#endif
