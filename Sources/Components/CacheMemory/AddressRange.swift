import CMemory

/// A reserved range of addresses; only touched pages use memory.
struct AddressRange: ~Copyable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    /// - Parameter byteCount: rounded up to whole pages.
    init(byteCount: Int) {
        let pageBytes = cache_page_bytes()
        let rounded = (byteCount + pageBytes - 1) / pageBytes * pageBytes
        guard let base = cache_reserve(rounded) else {
            preconditionFailure("the system has no \(rounded) bytes of addresses left")
        }
        self.base = base
        self.byteCount = rounded
    }

    deinit { cache_unreserve(base, byteCount) }
}
