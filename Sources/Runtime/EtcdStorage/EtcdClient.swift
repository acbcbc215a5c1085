#if Web
    import AsyncHTTPClient
    import CacheModel
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    package import SharedLogCore
    import Threading

    /// Sends requests to etcd over its JSON gateway.
    ///
    ///     any thread ── send ──▶ one event loop ── POST /v3/… ──▶ the present member
    ///                                │ no answer within a second, or it cannot decide
    ///                                └──▶ the next request goes to the next member
    ///
    /// It repeats no request: its owner knows which may be repeated. Only a token that is over is
    /// renewed, once for each request. Every request has an outcome within two of
    /// ``EtcdLimits/requestTime``.
    package final class EtcdClient: Sendable {
        private struct State {
            /// Index of the present member.
            var member = 0
            var token: String?
            var isStopped = false
        }

        private let options: EtcdOptions
        private let group: MultiThreadedEventLoopGroup
        private let client: HTTPClient
        private let state = Guarded(State())

        /// - Throws: ``EtcdError``; nothing is open then.
        package init(_ options: EtcdOptions) throws(EtcdError) {
            guard !options.endpoints.isEmpty else { throw .noEndpoint }
            for endpoint in options.endpoints where !Self.isEndpoint(endpoint) {
                throw .notAnEndpoint(endpoint)
            }
            self.options = options
            let configuration = try HTTPClient.Configuration(options)
            group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            client = HTTPClient(eventLoopGroup: group, configuration: configuration)
        }

        private static func isEndpoint(_ text: String) -> Bool {
            let rest =
                text.hasPrefix("http://")
                ? text.dropFirst(7) : text.hasPrefix("https://") ? text.dropFirst(8) : ""
            let port = rest.split(separator: ":").last.flatMap { UInt16($0) }
            return port != nil && rest.contains(":") && !rest.contains("/")
        }

        /// Sends a request.
        ///
        /// - Parameter done: called once, on the client's thread; it must not block.
        package func send(
            _ request: StoreRequest, _ done: @escaping @Sendable (StoreOutcome) -> Void
        ) {
            let loop = group.next()
            let end = NIODeadline.now() + TimeAmount(options.requestTime) * 2
            authenticated(on: loop, by: end).flatMap { [self] token in
                ask(request, token: token, (loop, end), mayRenew: true)
            }
            .whenComplete { result in
                switch result {
                case .success(let outcome): done(outcome)
                case .failure(let error as NotAuthenticated):
                    done(.failure(.refused(error.sentence)))
                case .failure(let error as NoAnswer):
                    self.leave(error.member)
                    done(.failure(.unknown(self.sentence(error.reason))))
                case .failure(let error): done(.failure(.unknown(self.sentence(error))))
                }
            }
        }

        /// Ends the connections. Requests without an answer have the outcome *unknown*. Blocks;
        /// further calls do nothing.
        package func stop() {
            let isFirst = state.withLock { state in
                defer { state.isStopped = true }
                return !state.isStopped
            }
            guard isFirst else { return }
            let gone = Promise<Void>()
            client.shutdown().whenComplete { [group] _ in
                group.shutdownGracefully { _ in gone.fulfil(()) }
            }
            gone.wait()
        }

        /// Asks every member how it is.
        ///
        /// - Parameter done: called once, on the client's thread, in the order of the endpoints.
        package func askMembers(_ done: @escaping @Sendable ([EtcdMember]) -> Void) {
            let loop = group.next()
            let end = NIODeadline.now() + TimeAmount(options.requestTime) * 2
            let answers = authenticated(on: loop, by: end).map { Optional($0) }
                .recover { _ in nil }
                .flatMap { [self] token in
                    EventLoopFuture.whenAllComplete(
                        options.endpoints.indices.map { index in
                            post(
                                EtcdCoding.memberStatus, token: token ?? nil, to: index,
                                (loop, end))
                        }, on: loop)
                }
            answers.whenSuccess { [options] replies in
                done(
                    zip(options.endpoints, replies).map { endpoint, reply in
                        switch reply {
                        case .success(let answer):
                            EtcdCoding.member(at: endpoint, answer.status, answer.body)
                        case .failure(let error):
                            EtcdMember(
                                endpoint: endpoint,
                                trouble: (error as? NoAnswer).map { self.sentence($0.reason) }
                                    ?? "\(error)")
                        }
                    })
            }
        }

        // MARK: Asking

        /// etcd takes no request of this user. Nothing was executed.
        private struct NotAuthenticated: Error {
            let sentence: String
        }

        private typealias Reply = (status: Int, body: [UInt8], member: Int)
        /// Where an outcome is waited for, and until when.
        private typealias Place = (loop: any EventLoop, end: NIODeadline)

        /// A member did not answer.
        private struct NoAnswer: Error {
            let member: Int
            let reason: any Error
        }

        private func ask(
            _ request: StoreRequest, token: String?, _ place: Place, mayRenew: Bool
        ) -> EventLoopFuture<StoreOutcome> {
            let loop = place.loop
            return post(EtcdCoding.call(for: request), token: token, place).flatMap {
                [self] reply in
                switch EtcdCoding.reply(to: request, status: reply.status, body: reply.body) {
                case .outcome(let outcome):
                    if case .failure(.unknown) = outcome { leave(reply.member) }
                    return loop.makeSucceededFuture(outcome)
                case .unauthenticated(let sentence):
                    guard mayRenew, options.user != nil else {
                        return loop.makeSucceededFuture(.failure(.refused(sentence)))
                    }
                    state.withLock { if $0.token == token { $0.token = nil } }
                    return authenticated(on: loop, by: place.end).flatMap { [self] renewed in
                        ask(request, token: renewed, place, mayRenew: false)
                    }
                }
            }
        }

        private func authenticated(
            on loop: any EventLoop, by end: NIODeadline
        ) -> EventLoopFuture<String?> {
            guard let user = options.user else { return loop.makeSucceededFuture(nil) }
            if let token = state.withLock({ $0.token }) { return loop.makeSucceededFuture(token) }
            let call = EtcdCoding.authentication(user: user, password: options.password)
            return post(call, token: nil, (loop, end)).flatMapThrowing { [self] reply in
                guard let token = EtcdCoding.token(in: reply.body) else {
                    if reply.status >= 500 { leave(reply.member) }
                    throw NotAuthenticated(
                        sentence: EtcdCoding.refusal(in: reply.body, status: reply.status))
                }
                state.withLock { $0.token = token }
                return token
            }
        }

        private func post(
            _ call: EtcdCoding.Call, token: String?, to index: Int? = nil, _ place: Place
        ) -> EventLoopFuture<Reply> {
            let member = index ?? state.withLock { $0.member }
            let request: HTTPClient.Request
            do {
                var headers: HTTPHeaders = [
                    "content-type": "application/json", "user-agent": "martlet",
                ]
                if let token { headers.add(name: "authorization", value: token) }
                request = try HTTPClient.Request(
                    url: options.endpoints[member] + call.path, method: .POST, headers: headers,
                    body: .bytes(call.body))
            } catch {
                return place.loop.makeFailedFuture(error)
            }
            let deadline = min(.now() + TimeAmount(options.requestTime), place.end)
            return client.execute(
                request: request, eventLoop: .delegateAndChannel(on: place.loop),
                deadline: deadline
            ).map { response in
                let body = response.body.map { Array($0.readableBytesView) } ?? []
                return (Int(response.status.code), body, member)
            }
            .flatMapErrorThrowing { throw NoAnswer(member: member, reason: $0) }
        }

        /// A member did not answer, or cannot decide: the next request asks another, unless that
        /// was decided since this one was asked.
        private func leave(_ member: Int) {
            state.withLock { state in
                guard state.member == member else { return }
                state.member = (member + 1) % options.endpoints.count
            }
        }

        private static let timeouts: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .connectTimeout,
        ]

        private func sentence(_ error: any Error) -> String {
            switch error {
            case let error as HTTPClientError where Self.timeouts.contains(error):
                "etcd does not answer within \(options.requestTime)"
            case is NIOConnectionError, is IOError: "no connection to etcd"
            default: "\(error)"
            }
        }
    }

    extension HTTPClient.Configuration {
        fileprivate init(_ options: EtcdOptions) throws(EtcdError) {
            self.init()
            tlsConfiguration = try TLSConfiguration.ofEtcd(options)
            redirectConfiguration = .disallow
            decompression = .disabled
            httpVersion = .http1Only
            timeout.connect = .milliseconds(500)
            connectionPool.retryConnectionEstablishment = false
            tracing.tracer = nil
        }
    }

    extension TLSConfiguration {
        fileprivate static func ofEtcd(_ options: EtcdOptions) throws(EtcdError) -> Self {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            do {
                if let authority = options.authority {
                    configuration.trustRoots = .certificates(
                        try NIOSSLCertificate.fromPEMBytes(authority))
                }
                if let certificate = options.certificate, let key = options.key {
                    configuration.certificateChain =
                        try NIOSSLCertificate.fromPEMBytes(certificate).map { .certificate($0) }
                    configuration.privateKey = .privateKey(
                        try NIOSSLPrivateKey(bytes: key, format: .pem))
                }
                // Also finds a key that is not the certificate's.
                _ = try NIOSSLContext(configuration: configuration)
                return configuration
            } catch {
                throw .trustUnusable(reason: "\(error)")
            }
        }
    }
#else
    package import SharedLogCore

    /// A program without HTTP has no client for etcd.
    package final class EtcdClient: Sendable {
        package init(_ options: EtcdOptions) throws(EtcdError) { throw .notBuilt }

        package func send(
            _ request: StoreRequest, _ done: @escaping @Sendable (StoreOutcome) -> Void
        ) {}

        package func askMembers(_ done: @escaping @Sendable ([EtcdMember]) -> Void) {}

        package func stop() {}
    }
#endif
