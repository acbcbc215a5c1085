#if Web
    import AsyncHTTPClient
    package import CacheLoading
    import CacheModel
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// Origins over HTTP/1.1, with or without TLS: one client, one thread, one pool of connections
    /// for all namespaces of a node. It makes one attempt at a time for a caller that decides when
    /// and how often.
    ///
    /// - **Outcome.** `whenDone` is called exactly once for every `begin`, whatever races: an
    ///   answer, the request's timeout, ``Attempt/abort()``, a shutdown. It is called on any
    ///   thread, possibly before `begin` has returned, and on the aborting thread if that is what
    ///   ends the attempt; so it must be short, must not block, and must not wait for this origin.
    ///   `elapsed` is measured on a monotonic clock from `begin`.
    /// - **Left to others.** It does not retry, wait for its turn, follow redirects, decode, judge
    ///   a status or keep a value: CacheLoading decides all that. It bounds how many attempts are
    ///   under way only to protect itself.
    /// - **Attempts.** GET, with the namespace's own fields, `Accept-Encoding: identity` and, where
    ///   a validator is held, one conditional field; or POST with a body, without a validator. No
    ///   redirect is followed, nothing is decoded. A write is a PUT or a DELETE with
    ///   `Idempotency-Key` [1].
    /// - **Time.** The request's timeout covers all: to find or open a connection, to ask, and the
    ///   whole body. To open one may take no longer than the settings say, either.
    /// - **Bounds.** An answer that is no value (its status is not 2xx) comes without its body. A
    ///   value is cut off as soon as its length, told or received, passes the
    ///   namespace's bound. Of an answer's head the parser takes at most 80 KiB for one name or
    ///   value, 256 fields and 2 MiB in all; what has more than `OriginReplyLimits.fieldBytesMax`
    ///   is refused.
    /// - **Connections.** Kept and used again. A request that finds its connection closed by the
    ///   origin goes over another one within the same attempt. Whatever ends an attempt before its
    ///   answer is whole closes the connection. HTTP/2 is not offered: one connection for all would
    ///   let one namespace's bodies hold up another's.
    ///
    /// It must be shut down before the last reference to it goes.
    ///
    /// [1] draft-ietf-httpapi-idempotency-key-header
    package final class HTTPOrigin: Sendable {
        /// Whether this build can ask any.
        package static let isBuiltIn = true

        private let group: MultiThreadedEventLoopGroup
        private let client: HTTPClient
        private let routes: HTTPRoutes
        private let register = AttemptRegister(attemptsMax: OriginLimits.attemptsMax)

        package init(_ settings: HTTPOriginSettings = .init()) throws(HTTPOriginError) {
            let configuration = HTTPClient.Configuration(settings)
            group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            client = HTTPClient(eventLoopGroup: group, configuration: configuration)
            routes = HTTPRoutes(userAgent: settings.userAgent)
        }

        /// Judges certificates and a key before they are used.
        package static func check(_ trust: OriginTrust) throws(HTTPOriginError) {
            _ = try TLSConfiguration(trust)
        }

        /// Begins one attempt. May be called on any thread; never blocks.
        ///
        /// After ``shutDown(grace:whenDone:)`` the outcome is `failed(.cancelled)`; if more
        /// attempts are under way than this origin can have, it is `failed(.overloaded)`; if the
        /// key cannot be put into the request, it is `failed(.refused)`.
        @discardableResult
        package func begin(
            _ request: OriginRequest, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
        ) -> Attempt {
            let attempt = Attempt(whenDone: whenDone)
            guard request.timeout > .zero else {
                attempt.finish(.failed(.timedOut))
                return attempt
            }
            // If the condition of a POST fails, the answer is 412, not 304: RFC 9110, 13.1.2.
            let field = request.policy.question == .get ? request.validator?.condition : nil
            guard let outgoing = outgoing(for: request, conditionalField: field) else {
                attempt.finish(.failed(.refused))
                return attempt
            }
            switch register.admit(attempt) {
            case .admitted:
                let assembly = ReplyAssembly(
                    valueBytesMax: request.valueBytesMax, isConditional: field != nil,
                    isOfWrite: request.write != nil)
                let timeout = min(request.timeout, OriginLimits.timeoutMax)
                let deadline = NIODeadline.now() + TimeAmount(timeout)
                send(outgoing, assembly, deadline, reusesLeft: OriginLimits.reusesMax, for: attempt)
            case .full: attempt.finish(.failed(.overloaded))
            case .closed: attempt.finish(.failed(.cancelled))
            }
            return attempt
        }

        private func outgoing(
            for request: OriginRequest, conditionalField: OriginField?
        ) -> HTTPClient.Request? {
            do {
                return try routes.route(for: request)
                    .request(for: request, conditionalField: conditionalField)
            } catch {
                // The policy was not checked where it was read: no attempt can succeed.
                return nil
            }
        }

        private func send(
            _ request: HTTPClient.Request, _ assembly: ReplyAssembly, _ deadline: NIODeadline,
            reusesLeft: Int, for attempt: Attempt
        ) {
            let exchange = HTTPExchange(assembly)
            let task = client.execute(request: request, delegate: exchange, deadline: deadline)
            attempt.whenCut { task.cancel() }
            task.futureResult.whenComplete { [self] result in
                // GET, PUT and DELETE may be repeated (RFC 9110, 9.2.2), and so may a question by
                // POST, which changes nothing.
                if reusesLeft > 0, HTTPExchange.foundConnectionEnded(result) {
                    return send(
                        request, assembly, deadline, reusesLeft: reusesLeft - 1, for: attempt)
                }
                attempt.finish(exchange.outcome(of: result, elapsed: attempt.elapsed))
                register.leave(attempt)
            }
        }

        /// Begins nothing new, lets what is under way end for `grace`, aborts the rest, and
        /// releases connections and threads.
        ///
        /// - Parameter whenDone: called once, on any thread, when every attempt has had its outcome
        ///   and nothing is held any more. If this is called again, all of them are called.
        package func shutDown(grace: Duration, whenDone: @escaping @Sendable () -> Void) {
            let release: AttemptRegister.Release = { [client, group] done in
                client.shutdown().whenComplete { _ in
                    group.shutdownGracefully { _ in done() }
                }
            }
            register.close(grace: grace, release: release, whenDone: whenDone)
        }
    }
#endif
