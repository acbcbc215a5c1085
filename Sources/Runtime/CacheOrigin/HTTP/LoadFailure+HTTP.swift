#if Web
    import CacheModel
    import AsyncHTTPClient
    import CacheLoading
    import NIOCore
    import NIOHTTP1
    import NIOSSL

    extension LoadFailure {
        /// What an error of the HTTP client means for a load: the one table of them.
        ///
        /// - A time that ran out, whichever: `timedOut`.
        /// - Bytes that are no HTTP, or more of them than a head may have: `malformed`.
        /// - A request that cannot be written: `refused`; the next one could not, either.
        /// - Everything else is about the connection: `unreachable`. So is an answer that was cut
        ///   off, and a certificate that is not believed.
        init(http error: any Error) {
            self =
                switch error {
                case let error as HTTPClientError: Self(client: error)
                case let error as HTTPParserError: Self(parser: error)
                case is NIOHTTPDecoderError: .malformed
                case is RequestTargetHandler.TargetMissing: .refused
                case ChannelError.connectTimeout: .timedOut
                default: .unreachable
                }
        }

        private init(client error: HTTPClientError) {
            self =
                switch error {
                case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout,
                    .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                    .timedOut
                case .cancelled, .alreadyShutdown: .cancelled
                case .invalidURL, .emptyHost, .emptyScheme: .refused
                // The two that carry their offenders compare equal only with them, so by their
                // words.
                case let other
                where ["Invalid header field names", "Invalid header field values"]
                    .contains(other.shortDescription):
                    .refused
                default: .unreachable
                }
        }

        private init(parser error: HTTPParserError) {
            self =
                switch error {
                case .invalidEOFState, .closedConnection: .unreachable
                default: .malformed
                }
        }
    }
#endif
