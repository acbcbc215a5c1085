#if Web
    import AsyncHTTPClient
    import CacheLoading
    import CacheModel
    import NIOCore
    import NIOHTTP1
    import NIOSSL
    import Threading

    /// What all requests of one namespace to its origin have in common, made once.
    struct HTTPRoute: Sendable {
        private let url: String
        private let fields: [OriginField]
        private let question: OriginQuestion
        private let trust: OriginTrust?
        private let template: URLTemplate
        /// `nil`: it is asked by GET.
        private let body: BodyTemplate?
        private let tls: TLSConfiguration?
        private let root: HTTPClient.Request

        /// - Throws: `URLTemplateError`, `BodyTemplateError`, `HTTPOriginError` or
        ///   `HTTPClientError`, if the policy was not checked where it was read.
        init(policy: OriginPolicy, trust: OriginTrust?, userAgent: String) throws {
            url = policy.url
            fields = policy.fields
            question = policy.question
            self.trust = trust
            body = try policy.bodyTemplate()
            template = try URLTemplate(parsing: policy.url, needsKey: body == nil)
            var headers = HTTPHeaders()
            for field in policy.fields { headers.add(name: field.name, value: field.value) }
            headers.addWhereNone("user-agent", userAgent)
            headers.addWhereNone("accept-encoding", "identity")
            tls = try trust.map { try TLSConfiguration($0) }
            root = try HTTPClient.Request(
                url: template.root, method: body == nil ? .GET : .POST, headers: headers,
                tlsConfiguration: tls)
        }

        /// Whether it would be the same if it was made again.
        func isMade(of policy: OriginPolicy, _ trust: OriginTrust?) -> Bool {
            url == policy.url && fields == policy.fields && question == policy.question
                && self.trust == trust
        }

        /// - Returns: `nil` if the key must not be put into the URL or the body.
        /// - Throws: `HTTPClientError`, never for a policy that was checked.
        func request(
            for request: OriginRequest, conditionalField: OriginField?
        ) throws -> HTTPClient.Request? {
            guard let target = template.target(of: request.key, in: request.namespace) else {
                return nil
            }
            guard var answer = try request.write.map(told(of:)) ?? asked(of: request) else {
                return nil
            }
            if let field = conditionalField {
                answer.headers.add(name: field.name, value: field.value)
            }
            if let trace = request.trace {
                answer.headers.replaceOrAdd(name: "traceparent", value: trace.traceparent)
                if let state = trace.tracestate {
                    answer.headers.replaceOrAdd(name: "tracestate", value: state)
                }
            }
            answer.headers.replaceOrAdd(name: RequestTargetHandler.fieldName, value: target)
            return answer
        }

        private func asked(of request: OriginRequest) -> HTTPClient.Request? {
            guard let template = body else { return root }
            guard let body = template.body(of: request.key, in: request.namespace) else {
                return nil
            }
            var answer = root
            answer.headers.addWhereNone("content-type", BodyTemplate.defaultContentType)
            answer.body = .byteBuffer(ByteBuffer(bytes: body))
            return answer
        }

        private func told(of write: OriginWrite) throws -> HTTPClient.Request {
            var headers = root.headers
            headers.replaceOrAdd(name: "idempotency-key", value: write.idempotencyKey)
            guard let value = write.value else {
                return try HTTPClient.Request(
                    url: template.root, method: .DELETE, headers: headers, tlsConfiguration: tls)
            }
            let representation = write.representation
            headers.addWhereNone(
                "content-type", representation.contentType?.text ?? "application/octet-stream")
            if let encoding = representation.contentEncoding {
                headers.addWhereNone("content-encoding", encoding.text)
            }
            if let language = representation.contentLanguage {
                headers.addWhereNone("content-language", language.text)
            }
            return try HTTPClient.Request(
                url: template.root, method: .PUT, headers: headers,
                body: .byteBuffer(ByteBuffer(bytes: value)), tlsConfiguration: tls)
        }
    }

    extension HTTPHeaders {
        /// Where the namespace names none.
        fileprivate mutating func addWhereNone(_ name: String, _ value: String) {
            guard !contains(name: name) else { return }
            add(name: name, value: value)
        }
    }

    /// The routes that have been asked for, so that URLs are parsed once and not for every attempt.
    final class HTTPRoutes: Sendable {
        private let userAgent: String
        private let routes = Guarded<[Namespace: HTTPRoute]>([:])

        init(userAgent: String) {
            self.userAgent = userAgent
        }

        func route(for request: OriginRequest) throws -> HTTPRoute {
            let known = routes.withLock { $0[request.namespace] }
            if let known, known.isMade(of: request.policy, request.trust) { return known }
            let route = try HTTPRoute(
                policy: request.policy, trust: request.trust, userAgent: userAgent)
            routes.withLock { routes in
                if routes.count >= OriginLimits.routesMax { routes.removeAll() }
                routes[request.namespace] = route
            }
            return route
        }
    }
#endif
