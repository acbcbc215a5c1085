/// Numbered keys of 24 bytes in a ring of 64 places, so that making one touches no cold memory.
struct Keys: ~Copyable {
    static let bytes = 24
    private let places: UnsafeMutableRawPointer

    init() {
        places = .allocate(byteCount: 64 * Self.bytes, alignment: 8)
    }

    deinit { places.deallocate() }

    /// Writes key `number` into a place and hands it out; good until that place is used again.
    @inline(__always)
    func make(_ number: Int, place: Int = 0) -> UnsafeRawBufferPointer {
        let start = places + place &* Self.bytes
        let first = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        start.storeBytes(of: first, as: UInt64.self)
        start.storeBytes(of: first ^ first &>> 29, toByteOffset: 8, as: UInt64.self)
        start.storeBytes(of: UInt64(truncatingIfNeeded: number), toByteOffset: 16, as: UInt64.self)
        return at(place)
    }

    @inline(__always)
    func at(_ place: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: places + place &* Self.bytes, count: Self.bytes)
    }
}

/// Uniform numbers below a bound, cheaply.
struct Draw {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    @inline(__always)
    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state &>> 32).multipliedFullWidth(by: UInt64(bound) &<< 32).high)
    }
}
