#if Web
    import AsyncHTTPClient
    import CacheLoading
    import CacheModel
    import NIOCore
    import NIOHTTP1

    /// What all requests of one namespace to its origin have in common, made once.
    struct HTTPRoute: Sendable {
        /// Ours among the fields of the policy it was made of.
        let fields: [OriginField]
        private let template: URLTemplate
        private let root: HTTPClient.Request

        /// - Throws: `URLTemplateError` or `HTTPClientError`, if the policy was not checked where
        ///   it was read.
        init(policy: OriginPolicy, userAgent: String) throws {
            fields = policy.fields
            template = try URLTemplate(parsing: policy.url)
            var headers = HTTPHeaders()
            for field in policy.fields { headers.add(name: field.name, value: field.value) }
            for (name, value) in [("user-agent", userAgent), ("accept-encoding", "identity")]
            where !headers.contains(name: name) {
                headers.add(name: name, value: value)
            }
            root = try HTTPClient.Request(url: template.root, headers: headers)
        }

        /// - Returns: `nil` if the key must not be put into the URL.
        /// - Throws: `HTTPClientError`, never for a policy that was checked.
        func request(
            for request: OriginRequest, conditionalField: OriginField?
        ) throws -> HTTPClient.Request? {
            guard let target = template.target(of: request.key, in: request.namespace) else {
                return nil
            }
            var answer = try request.write.map { try told(of: $0) } ?? root
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

        private func told(of write: OriginWrite) throws -> HTTPClient.Request {
            var headers = root.headers
            headers.replaceOrAdd(name: "idempotency-key", value: write.idempotencyKey)
            guard let value = write.value else {
                return try HTTPClient.Request(url: template.root, method: .DELETE, headers: headers)
            }
            if !headers.contains(name: "content-type") {
                headers.add(name: "content-type", value: "application/octet-stream")
            }
            return try HTTPClient.Request(
                url: template.root, method: .PUT, headers: headers,
                body: .byteBuffer(ByteBuffer(bytes: value)))
        }
    }
#endif
