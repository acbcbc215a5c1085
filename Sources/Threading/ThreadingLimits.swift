/// Bounds of the threads that own a loop.
package enum ThreadingLimits {
    /// A thread's stack, if nothing else is said. A system's own default may be 128 KiB.
    package static let stackBytes = 4 << 20
    /// The smallest stack that a thread may be asked with.
    package static let stackBytesMin = 256 << 10

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(stackBytes >= stackBytesMin, "what is usual is allowed")
    }
}
