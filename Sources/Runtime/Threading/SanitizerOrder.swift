public import CPlatform

/// Tells ThreadSanitizer of an order between threads that it cannot see, by an object that both
/// sides know.
///
/// The sanitizer knows of what code compiled with it does, and of pthreads. The slow way into
/// `Synchronization.Mutex`, and a continuation that is resumed before its task waits, run inside
/// libraries without it; there the order holds and looks like a race. Said too often it would hide
/// a true race, so it is said only where such a library gives the order.
///
/// In other builds each is a call of an empty function.
public enum SanitizerOrder {
    /// What this thread has done happened before what others do once they have acquired `object`.
    @inlinable
    package static func release(_ object: AnyObject) {
        martlet_tsan_release(Unmanaged.passUnretained(object).toOpaque())
    }

    /// What others did before they released `object` happened before what this thread does now.
    @inlinable
    package static func acquire(_ object: AnyObject) {
        martlet_tsan_acquire(Unmanaged.passUnretained(object).toOpaque())
    }
}
