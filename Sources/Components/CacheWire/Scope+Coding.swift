package import ByteCoding
package import CacheModel

extension Scope {
    ///     offset  size  field
    ///          0     1  kind
    ///          1     1  options         1 minimum version, 2 hash range, 4 members
    ///          2     1  namespaceBytes  0: default
    ///          3     1  reserved
    ///          4     2  nameBytes
    ///          6     2  reserved
    ///          8     …  minimum version 8, hash range 16, namespace, name
    ///
    /// - Parameter mayTellMembers: whether it is in a record of the log. In a request members are
    ///   `malformed`: only the publisher defines them.
    package init(
        decoding reader: inout ByteReader, mayTellMembers: Bool = false
    ) throws(WireRefusal) {
        let kind: ScopeKind = try reader.known(or: "the kind of a scope is not known")
        let options = try reader.next(UInt8.self)
        guard options & ~(mayTellMembers ? 7 : 3) == 0 else { throw .reserved }
        let namespaceBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let nameBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(2)
        let minimum = options & 1 != 0 ? Version(try reader.next(UInt64.self)) : nil
        let range = options & 2 != 0 ? try Self.range(&reader) : nil
        let namespace = try Self.namespace(reader.take(namespaceBytes))
        let name = try reader.take(nameBytes)
        let isOfMembers = options & 4 != 0
        let target = try Self.target(
            kind, namespace: namespace, name: isOfMembers ? [] : [UInt8](name))
        self.init(target, minimumVersion: minimum, hashRange: range)
        if isOfMembers { membership = try Membership(decoding: name) }
        guard kind != .everything || namespaceBytes == 0 else {
            throw WireRefusal(.malformed, "everything lies in no namespace")
        }
        guard isMeaningful else {
            throw WireRefusal(
                .malformed,
                "a minimum version belongs to keys, a hash range to others, members to everything")
        }
    }

    private static func range(
        _ reader: inout ByteReader
    ) throws(WireRefusal) -> ClosedRange<UInt64> {
        let first = try reader.next(UInt64.self)
        let last = try reader.next(UInt64.self)
        guard first <= last else {
            throw WireRefusal(.outOfRange, "a hash range ends before it begins")
        }
        return first...last
    }

    /// The namespace of that name; without bytes the default one.
    static func namespace(
        _ bytes: UnsafeRawBufferPointer?
    ) throws(WireRefusal) -> Namespace {
        guard let bytes, bytes.count > 0 else { return .default }
        guard let namespace = Namespace(String(decoding: bytes, as: UTF8.self)) else {
            throw WireRefusal(
                .malformed, "a namespace has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return namespace
    }

    package static func target(
        _ kind: ScopeKind, namespace: Namespace, name: [UInt8]
    ) throws(WireRefusal) -> Target {
        switch kind {
        case .key:
            guard let key = CacheKey(bytes: name) else {
                throw WireRefusal(.outOfRange, "a key has 1 to 4096 bytes")
            }
            return .key(key, in: namespace)
        case .tag:
            guard let tag = Tag(bytes: name) else {
                throw WireRefusal(.outOfRange, "a tag has 1 to 255 bytes")
            }
            return .tag(tag, in: namespace)
        case .prefix:
            guard (1...CacheKey.bytesMax).contains(name.count) else {
                throw WireRefusal(.outOfRange, "a prefix has 1 to 4096 bytes")
            }
            return .prefix(name, in: namespace)
        case .namespace, .everything:
            guard name.isEmpty else {
                throw WireRefusal(.malformed, "this kind of scope has no name")
            }
            return kind == .namespace ? .namespace(namespace) : .everything
        }
    }

    package func encode(into writer: inout ByteWriter) {
        let (kind, namespace, target) = parts
        let name = membership?.encoded ?? target
        let room = namespace == .default ? [] : Array(namespace.name.utf8)
        writer.append(kind.rawValue)
        writer.append(
            UInt8(
                (minimumVersion == nil ? 0 : 1) | (hashRange == nil ? 0 : 2)
                    | (membership == nil ? 0 : 4)))
        writer.append(UInt8(room.count))
        writer.append(UInt8(0))
        writer.append(UInt16(name.count))
        writer.append(UInt16(0))
        if let minimumVersion { writer.append(minimumVersion.rawValue) }
        if let hashRange {
            writer.append(hashRange.lowerBound)
            writer.append(hashRange.upperBound)
        }
        writer.append(room)
        writer.append(name)
    }

    /// Appends the scope of one key, without creating a scope first.
    ///
    /// - Precondition: the key's length is within bounds.
    package static func append(
        key: UnsafeRawBufferPointer, in namespace: Namespace, to writer: inout ByteWriter
    ) {
        var name = namespace == .default ? "" : namespace.name
        name.withUTF8 { room in
            writer.append(ScopeKind.key.rawValue)
            writer.append(UInt8(0))
            writer.append(UInt8(room.count))
            writer.append(UInt8(0))
            writer.append(UInt16(key.count))
            writer.append(UInt16(0))
            writer.append(UnsafeRawBufferPointer(room))
            writer.append(key)
        }
    }

    /// Kind, namespace and name, as on the wire.
    package var parts: (kind: ScopeKind, namespace: Namespace, name: [UInt8]) {
        switch target {
        case .key(let key, let namespace): (.key, namespace, key.bytes)
        case .tag(let tag, let namespace): (.tag, namespace, tag.bytes)
        case .prefix(let bytes, let namespace): (.prefix, namespace, bytes)
        case .namespace(let namespace): (.namespace, namespace, [])
        case .everything: (.everything, .default, [])
        }
    }
}
