#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Starts threads of our own: a loop that blocks must not sit on Swift's shared pool.
enum OwnedThread {
    /// Runs `body` on a new thread, which nobody joins.
    ///
    /// - Returns: 0, or the error number if the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) -> CInt {
        let box = Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, entry, box.toOpaque())
        if code != 0 {
            box.release()
            return code
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return 0
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    #if canImport(Darwin)
        private static let entry:
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
                { argument in
                    Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }
    #else
        private static let entry:
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }
    #endif
}
