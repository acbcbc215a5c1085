#if !Web
    package import CacheLoading
    import CacheModel

    /// Stands in for origins over HTTP in a build without the trait Web: there are none.
    package final class HTTPOrigin: Sendable {
        package static let isBuiltIn = false

        package init(_ settings: HTTPOriginSettings = .init()) throws(HTTPOriginError) {
            throw .notBuiltIn
        }

        package static func check(_ trust: OriginTrust) throws(HTTPOriginError) {
            throw .notBuiltIn
        }

        @discardableResult
        package func begin(
            _ request: OriginRequest, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
        ) -> Attempt {
            let attempt = Attempt(whenDone: whenDone)
            attempt.finish(.failed(.refused))
            return attempt
        }

        package func shutDown(grace: Duration, whenDone: @escaping @Sendable () -> Void) {
            whenDone()
        }
    }
#endif
