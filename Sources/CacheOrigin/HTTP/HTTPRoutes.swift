#if Web
    import CacheModel
    import Threading

    /// The routes that have been asked for, so that URLs are parsed once and not for every attempt.
    final class HTTPRoutes: Sendable {
        private let userAgent: String
        private let routes = Guarded<[String: HTTPRoute]>([:])

        init(userAgent: String) {
            self.userAgent = userAgent
        }

        func route(for policy: OriginPolicy) throws -> HTTPRoute {
            if let known = routes.withLock({ $0[policy.url] }), known.fields == policy.fields {
                return known
            }
            let route = try HTTPRoute(policy: policy, userAgent: userAgent)
            routes.withLock { routes in
                if routes.count >= OriginLimits.routesMax { routes.removeAll() }
                routes[policy.url] = route
            }
            return route
        }
    }
#endif
