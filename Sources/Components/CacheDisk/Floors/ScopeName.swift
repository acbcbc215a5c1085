import CacheModel

/// A scope encoded in bytes; the wider scopes are its prefixes:
///
///     everything           ∅
///     a namespace          length, name              the default one: 0
///     a prefix             length, name, prefix
///     tags of one bucket   255, bucket               four bytes, the highest first
///
/// A key is encoded as a prefix; so its scopes, except tags, are the prefixes of its name.
struct ScopeName: Equatable, Sendable {
    enum Kind {
        case everything, namespace, prefix
        case bucket(Int)
    }

    static let everything = ScopeName(bytes: [])
    private static let bucketMark: UInt8 = 255

    let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ namespace: Namespace) {
        let name = namespace == .default ? [] : Array(namespace.name.utf8)
        bytes = [UInt8(name.count)] + name
    }

    /// - Parameter lengthMax: where a longer prefix is cut; a shorter one hides more.
    init(prefix: [UInt8], in namespace: Namespace, lengthMax: Int) {
        bytes = ScopeName(namespace).bytes + prefix.prefix(lengthMax)
    }

    init(bucket: Int) {
        let number = UInt32(bucket)
        bytes =
            [Self.bucketMark] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    /// `nil` for bytes that name no scope, as in a damaged file.
    init?(stored: UnsafeRawBufferPointer) {
        bytes = [UInt8](stored)
        guard let first = stored.first else { return }
        if first == Self.bucketMark {
            guard stored.count == 5 else { return nil }
        } else {
            guard first <= Namespace.bytesMax, stored.count > Int(first),
                stored.count - Int(first) - 1 <= CacheKey.bytesMax
            else { return nil }
        }
    }

    var kind: Kind {
        guard let first = bytes.first else { return .everything }
        if first == Self.bucketMark {
            return .bucket(bytes[1...].reduce(0) { $0 << 8 | Int($1) })
        }
        return bytes.count == 1 + Int(first) ? .namespace : .prefix
    }

    var namespace: ScopeName { ScopeName(bytes: Array(bytes.prefix(1 + Int(bytes.first ?? 0)))) }
}

// MARK: - Of an entry

extension ScopeName {
    private static let defaultName = Array(Namespace.default.name.utf8)

    /// The default namespace is empty, also where a caller has spelled it out.
    static func short(_ namespace: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let isDefault =
            namespace.count == defaultName.count && namespace.elementsEqual(defaultName)
        return isDefault ? UnsafeRawBufferPointer(start: nil, count: 0) : namespace
    }

    /// The namespace's name as route hashes use it.
    static func withLong<Result>(
        _ namespace: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        namespace.isEmpty ? defaultName.withUnsafeBytes(body) : body(namespace)
    }

    /// Calls `body` with the name of a key; of its namespace, if the key is empty.
    static func with<Result>(
        _ namespace: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let begin = 1 + namespace.count
        return withUnsafeTemporaryAllocation(byteCount: begin + key.count, alignment: 8) { room in
            room[0] = UInt8(clamping: namespace.count)
            UnsafeMutableRawBufferPointer(rebasing: room[1..<begin]).copyBytes(from: namespace)
            UnsafeMutableRawBufferPointer(rebasing: room[begin...]).copyBytes(from: key)
            return body(UnsafeRawBufferPointer(room))
        }
    }
}
