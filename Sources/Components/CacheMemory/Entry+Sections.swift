import ByteCoding
public import CacheModel

/// The parts behind the head: the key, optional sections, and the value.
extension Entry {
    @inlinable package var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(base) + Self.headBytes, count: keyBytes)
    }

    @inlinable package var namespace: NamespaceNumber {
        guard flags.contains(.namespaced) else { return NamespaceNumber(0) }
        return NamespaceNumber(
            base.loadUnaligned(fromByteOffset: Self.headBytes &+ keyBytes, as: UInt16.self))
    }

    /// ``Version/none`` if it was stored without one.
    @inlinable package var version: Version {
        guard flags.contains(.versioned) else { return .none }
        return Version(base.loadUnaligned(fromByteOffset: versionOffset, as: UInt64.self))
    }

    @inlinable package var tagCount: Int {
        guard flags.contains(.tagged) else { return 0 }
        return Int(base.load(fromByteOffset: tagsOffset, as: UInt8.self) & Self.tagCountMask)
    }

    /// In the byte of the tag count.
    @inlinable package static var tagCountMask: UInt8 { 0x7F }
    /// In the same byte: a representation follows the tags.
    @inlinable package static var describedMark: UInt8 { 0x80 }

    @inlinable
    package func tagID(_ index: Int) -> TagID {
        TagID(
            rawValue: base.loadUnaligned(
                fromByteOffset: tagsOffset &+ 1 &+ 4 &* index, as: UInt32.self))
    }

    /// The encoded representation; empty if it has none.
    package var representation: UnsafeRawBufferPointer {
        let tags = tagsOffset
        guard flags.contains(.tagged),
            base.load(fromByteOffset: tags, as: UInt8.self) & Self.describedMark != 0
        else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let start = UnsafeRawPointer(base) + (tags &+ 1 &+ 4 &* tagCount)
        return UnsafeRawBufferPointer(start: start, count: Representation.storedBytes(at: start))
    }

    /// The ETag, preceded by the terms of its load; empty if it has neither.
    @inlinable package var validation: UnsafeRawBufferPointer {
        guard flags.contains(.validated) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let offset = validatorOffset
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(base) + (offset &+ 1),
            count: Int(base.load(fromByteOffset: offset, as: UInt8.self)))
    }

    /// The ETag; empty if it has none.
    @inlinable package var validator: UnsafeRawBufferPointer {
        LoadTerms.validator(in: validation)
    }

    /// The terms of its load; `nil` if its end is its lifetime's end.
    package var terms: LoadTerms? { LoadTerms(stored: validation) }

    @inlinable package var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(base) + valueOffset, count: valueBytes)
    }

    /// Bytes from the start of the block to the end of the value.
    @inlinable package var blockBytes: Int {
        valueOffset &+ valueBytes
    }
}

extension Entry {
    /// Differs with every store of the key, to detect that a value read in parts has changed.
    ///
    /// - Parameter hasher: used for small values, which are identified by their bytes.
    func identity(_ hasher: KeyHasher) -> UInt64 {
        let place = hasher.hash(key, room: UInt64(namespace.rawValue))
        guard isIdentified else { return hasher.hash(value, room: place) }
        let number = base.loadUnaligned(fromByteOffset: identityOffset, as: UInt32.self)
        return place & 0xFFFF_FFFF_0000_0000 | UInt64(number)
    }

    /// - Precondition: ``isIdentified``.
    func setIdentityNumber(_ number: UInt32) {
        base.storeBytes(of: number, toByteOffset: identityOffset, as: UInt32.self)
    }
}

// MARK: - Offsets of sections

extension Entry {
    @inlinable package var versionOffset: Int {
        Self.headBytes &+ keyBytes &+ (flags.contains(.namespaced) ? 2 : 0)
    }

    @inlinable package var tagsOffset: Int {
        versionOffset &+ (flags.contains(.versioned) ? 8 : 0)
    }

    @inlinable package var validatorOffset: Int {
        let offset = tagsOffset
        guard flags.contains(.tagged) else { return offset }
        let count = base.load(fromByteOffset: offset, as: UInt8.self)
        let end = offset &+ 1 &+ 4 &* Int(count & Self.tagCountMask)
        guard count & Self.describedMark != 0 else { return end }
        return end &+ Representation.storedBytes(at: UnsafeRawPointer(base) + end)
    }

    /// The common entry is small and has no section: its value follows its key.
    @inlinable package var valueOffset: Int {
        let offset = Self.headBytes &+ keyBytes
        return flags.isDisjoint(with: .sections) && valueBytes < Self.identifiedBytesMin
            ? offset : identityOffset &+ (isIdentified ? 4 : 0)
    }

    @usableFromInline package var identityOffset: Int {
        let offset = validatorOffset
        guard flags.contains(.validated) else { return offset }
        return offset &+ 1 &+ Int(base.load(fromByteOffset: offset, as: UInt8.self))
    }

    /// Values of at least this size carry four bytes that differ between stores.
    @inlinable package static var identifiedBytesMin: Int { 1_024 }

    @inlinable package var isIdentified: Bool {
        valueBytes >= Self.identifiedBytesMin
    }
}
