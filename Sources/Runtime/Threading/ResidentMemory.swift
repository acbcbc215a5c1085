import CPlatform

/// What of this process is in memory.
package enum ResidentMemory {
    /// How much, in whole pages; `nil` where the system does not tell.
    package static var bytes: Int? {
        let bytes = martlet_memory_resident()
        return bytes < 0 ? nil : Int(clamping: bytes)
    }
}
