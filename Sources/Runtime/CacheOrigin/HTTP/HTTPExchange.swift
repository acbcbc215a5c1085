#if Web
    import AsyncHTTPClient
    import CacheLoading
    import CacheModel
    import NIOCore
    import NIOHTTP1
    import NIOSSL
    import Threading

    /// One request and its answer: hands what arrives to the assembly and does what that says.
    final class HTTPExchange: HTTPClientResponseDelegate {
        /// Told to the client so that it closes the connection; the outcome is the assembly's.
        private struct Enough: Error {}

        private let assembly: Guarded<ReplyAssembly>

        init(_ assembly: ReplyAssembly) {
            self.assembly = Guarded(assembly)
        }

        func didReceiveHead(
            task: HTTPClient.Task<Void>, _ head: HTTPResponseHead
        ) -> EventLoopFuture<Void> {
            let fields = head.headers.map {
                OriginField(name: $0.name, value: Self.trimmed($0.value))
            }
            let status = Int(head.status.code)
            return follow(
                assembly.withLock { $0.receivedHead(status: status, fields: fields) }, in: task)
        }

        func didReceiveBodyPart(
            task: HTTPClient.Task<Void>, _ part: ByteBuffer
        ) -> EventLoopFuture<Void> {
            let verdict = part.withUnsafeReadableBytes { bytes in
                assembly.withLock { $0.received(bytes) }
            }
            return follow(verdict, in: task)
        }

        func didFinishRequest(task: HTTPClient.Task<Void>) {}

        /// Whether a connection that was used before had ended, so that another is to be asked.
        static func foundConnectionEnded(_ result: Result<Void, any Error>) -> Bool {
            guard case .failure(let error) = result else { return false }
            return error is ReuseHandler.ConnectionEnded
                || error as? ChannelError == .ioOnClosedChannel
        }

        /// What came of it; called once, at the end.
        func outcome(of result: Result<Void, any Error>, elapsed: Duration) -> AttemptOutcome {
            let ending: ReplyAssembly.Ending =
                switch result {
                case .success: .whole
                case .failure(let error): .broken(LoadFailure(http: error))
                }
            let last = assembly.withLock { assembly in
                // The last reference must be the only one, or the body would be copied.
                let last = assembly
                assembly = ReplyAssembly(valueBytesMax: 0, isConditional: false)
                return last
            }
            return last.outcome(of: ending, elapsed: elapsed)
        }

        /// The parser leaves what stands behind a value, though that is no part of it [1].
        ///
        /// [1] RFC 9110, section 5.5
        private static func trimmed(_ value: String) -> String {
            let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let last = value.utf8.last, isSpace(last) else { return value }
            let end = value.utf8.lastIndex { !isSpace($0) }.map(value.utf8.index(after:))
            return String(value[..<(end ?? value.startIndex)])
        }

        private func follow(
            _ verdict: ReplyAssembly.Verdict, in task: HTTPClient.Task<Void>
        ) -> EventLoopFuture<Void> {
            switch verdict {
            case .goOn: task.eventLoop.makeSucceededVoidFuture()
            case .enough: task.eventLoop.makeFailedFuture(Enough())
            }
        }
    }

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
