import CPlatform

/// Whether this system's kernel reads for a process (io_uring).
package enum KernelRing {
    /// The system's error for opening a ring; 0 if there is none.
    package static var refusal: Int32 {
        var ring: OpaquePointer?
        let code = martlet_ring_open(UInt32(CacheFilesLimits.ringEntries), &ring)
        if let ring { martlet_ring_close(ring) }
        return code
    }
}
