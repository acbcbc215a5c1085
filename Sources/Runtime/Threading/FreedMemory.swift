import CPlatform

/// Memory that was freed, and is allocated again soon.
public enum FreedMemory {
    /// Has the allocator of this process keep up to `bytes` of it in each of its areas, for
    /// allocations of up to `allocationMax` bytes, instead of giving it back at once. Without
    /// effect where the allocator is not glibc's, or where the environment sets it.
    public static func keep(upTo bytes: Int, allocationMax: Int) {
        precondition(
            (0...Int(Int32.max)).contains(bytes) && (0...Int(Int32.max)).contains(allocationMax),
            "the allocator takes thirty-one bits")
        martlet_memory_keep_freed(allocationMax, bytes)
    }
}

/// What of this process is in memory.
package enum ResidentMemory {
    /// How much, in whole pages; `nil` where the system does not tell.
    package static var bytes: Int? {
        let bytes = martlet_memory_resident()
        return bytes < 0 ? nil : Int(clamping: bytes)
    }
}
