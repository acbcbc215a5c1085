#if os(Linux)
    import Foundation

    /// Which allocator this process has.
    enum AllocatorUnderTest {
        /// A sanitizer's, which keeps what is freed to find who still uses it.
        static var isSanitized: Bool {
            dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
        }
    }
#endif
