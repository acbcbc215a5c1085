package import ByteCoding
package import CacheModel

extension ScopeList {
    /// Decodes `count` scopes. Names of keys are not copied again: the list reads them in `kept`.
    ///
    /// - Parameters:
    ///   - reader: of the same bytes as `kept`, from its beginning.
    ///   - count: from a message or a record, within its bounds.
    ///   - mayTellMembers: whether the scopes are of a record.
    package init(
        decoding reader: inout ByteReader, count: Int, of kept: [UInt8],
        mayTellMembers: Bool = false
    ) throws(WireRefusal) {
        self.init(keysIn: kept, count: count)
        var last: (bytes: UnsafeRawBufferPointer?, namespace: Namespace) = (nil, .default)
        for _ in 0..<count {
            if let key = Self.plainKey(ahead: reader) {
                if !Self.isSame(key.namespace, last.bytes) {
                    last = (key.namespace, try Scope.namespace(key.namespace))
                }
                if append(keyAt: key.offset, byteCount: key.byteCount, in: last.namespace) {
                    _ = try reader.take(key.passedBytes)
                    continue
                }
            }
            append(try Scope(decoding: &reader, mayTellMembers: mayTellMembers))
        }
    }

    /// The offset of a key, and the name of its namespace, as they follow in a message.
    private struct KeyAhead {
        let offset: Int
        let byteCount: Int
        /// `nil` for the default namespace.
        let namespace: UnsafeRawBufferPointer?
        let passedBytes: Int
    }

    /// The next scope, if it is a valid key scope without options. Any other scope, and any error,
    /// is left to ``Scope/init(decoding:)``.
    @inline(__always)
    private static func plainKey(ahead reader: ByteReader) -> KeyAhead? {
        let (start, bytes) = (reader.offset, reader.buffer)
        guard reader.remainingBytes >= headBytes else { return nil }
        let head = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        // Its kind, no options, zero in reserved bytes.
        guard head & 0xFFFF_0000_FF00_FFFF == UInt64(ScopeKind.key.rawValue) else { return nil }
        let (room, name) = (Int(head >> 16 & 0xFF), Int(head >> 32 & 0xFFFF))
        guard (1...CacheKey.bytesMax).contains(name), room <= Namespace.bytesMax,
            reader.remainingBytes >= headBytes + room + name
        else { return nil }
        let offset = start + headBytes + room
        return KeyAhead(
            offset: offset, byteCount: name,
            namespace: room == 0
                ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset - room..<offset]),
            passedBytes: headBytes + room + name)
    }

    private static var headBytes: Int { 8 }

    private static func isSame(
        _ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?
    ) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.elementsEqual(right)
    }

    package func encode(into writer: inout ByteWriter) {
        forEachItem { item in
            switch item {
            case .key(let name, let namespace):
                Scope.append(key: name, in: namespace, to: &writer)
            case .other(let scope): scope.encode(into: &writer)
            }
        }
    }
}
