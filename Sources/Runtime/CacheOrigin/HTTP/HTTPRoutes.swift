#if Web
    import CacheLoading
    import CacheModel
    import Threading

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
