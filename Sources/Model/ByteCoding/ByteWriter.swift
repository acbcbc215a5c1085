/// A growing buffer that one owner appends to and empties again, without giving memory back.
///
/// Not copyable, so a reply that is being built is never copied by accident. Appending is
/// amortised O(bytes); after the first few turns it never allocates.
public struct ByteWriter: ~Copyable {
    @usableFromInline package var base: UnsafeMutableRawPointer
    @usableFromInline package var capacity: Int
    @usableFromInline package var storedCount = 0

    @inlinable
    package init(capacityBytes: Int = 4_096) {
        precondition(capacityBytes > 0, "a writer without room cannot double it")
        base = .allocate(byteCount: capacityBytes, alignment: 16)
        capacity = capacityBytes
    }

    deinit {
        base.deallocate()
    }

    /// Bytes written since the last ``removeAll()``.
    @inlinable
    package var count: Int { storedCount }

    /// What was written. Valid until the next append.
    @inlinable
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: storedCount)
    }

    /// Forgets what was written; keeps the room.
    @inlinable
    package mutating func removeAll() {
        storedCount = 0
    }

    /// Forgets everything from `offset` on.
    @inlinable
    package mutating func truncate(to offset: Int) {
        precondition(offset >= 0 && offset <= storedCount, "a writer cannot be cut longer")
        storedCount = offset
    }

    /// Hands over the memory with its contents, which the new owner deallocates, and begins anew in
    /// other memory of so many bytes.
    package mutating func detach(replacedBy capacityBytes: Int) -> UnsafeMutableRawPointer {
        precondition(capacityBytes > 0, "a writer without room cannot double it")
        let detached = base
        base = .allocate(byteCount: capacityBytes, alignment: 16)
        capacity = capacityBytes
        storedCount = 0
        return detached
    }

    /// Makes sure that `additional` bytes fit without growing.
    @inlinable @inline(__always)
    package mutating func reserve(_ additional: Int) {
        if capacity &- storedCount < additional { grow(to: storedCount + additional) }
    }

    @usableFromInline
    package mutating func grow(to needed: Int) {
        // At least twice as much, so that appending stays amortised; no more than one long value
        // needs, because its memory may be handed over with it.
        let enlarged = max(2 * capacity, needed)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: enlarged, alignment: 16)
        fresh.copyMemory(from: base, byteCount: storedCount)
        base.deallocate()
        base = fresh
        capacity = enlarged
    }

    /// Appends an integer, little-endian.
    @inlinable @inline(__always)
    package mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        reserve(size)
        (base + storedCount).storeBytes(of: value.littleEndian, as: Value.self)
        storedCount &+= size
    }

    @inlinable
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (base + storedCount).copyMemory(from: source, byteCount: bytes.count)
        storedCount &+= bytes.count
    }

    @inlinable
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    @inlinable
    package mutating func append(zeros count: Int) {
        precondition(count >= 0, "nothing less than nothing can be appended")
        reserve(count)
        (base + storedCount).initializeMemory(as: UInt8.self, repeating: 0, count: count)
        storedCount &+= count
    }

    /// Overwrites an integer that was written before, as a length that was not known yet.
    @inlinable @inline(__always)
    package mutating func patch<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, at offset: Int
    ) {
        precondition(
            offset >= 0 && offset + MemoryLayout<Value>.size <= storedCount,
            "only what was written can be patched")
        (base + offset).storeBytes(of: value.littleEndian, as: Value.self)
    }

    /// What was written, copied.
    package var array: [UInt8] { [UInt8](bytes) }
}
