/// The scopes of a record in order, with the names of keys not copied.
///
/// Invalidations name keys by the thousand. A key here is a reference of 8 bytes into bytes that
/// the whole list shares – those of the record, if it was read from one –, and a ``Scope`` of it is
/// created only on request. Everything else is stored as a scope (docs/decisions/0062).
///
/// - Complexity: reading a scope is O(length of its name), because its bytes are copied.
///   ``forEachItem(_:)`` copies nothing.
public struct ScopeList: Sendable {
    /// The range of a key's bytes, or an empty range and the index of another scope.
    private struct Place: Sendable {
        var offset: UInt32
        var byteCount: UInt16
        var namespace: UInt16
    }

    /// One scope of the list.
    package enum Item {
        /// A key without a minimum version. The bytes are valid within the call.
        case key(UnsafeRawBufferPointer, in: Namespace)
        case other(Scope)
    }

    /// Contains every key's bytes, and any other bytes of its source.
    private var bytes: [UInt8]
    private var places: [Place] = []
    private var others: [Scope] = []
    /// The namespaces of the keys; one may occur twice if another came between.
    private var namespaces: [Namespace] = []

    /// An empty list for keys that will be added by their offsets in `bytes`.
    ///
    /// - Parameter count: approximate number of scopes to come.
    package init(keysIn bytes: [UInt8], count: Int) {
        self.bytes = bytes
        places.reserveCapacity(count)
    }

    public init(_ scopes: some Sequence<Scope>) {
        self.init(keysIn: [], count: scopes.underestimatedCount)
        for scope in scopes { append(scope) }
    }

    /// Adds a scope. A key's bytes are copied to the end of the list's.
    public mutating func append(_ scope: Scope) {
        guard case .key(let key, let namespace) = scope.target, scope.minimumVersion == nil,
            scope.hashRange == nil, bytes.count <= Int(UInt32.max)
        else { return append(other: scope) }
        let offset = bytes.count
        if append(keyAt: offset, byteCount: key.bytes.count, in: namespace) {
            bytes.append(contentsOf: key.bytes)
        } else {
            append(other: scope)
        }
    }

    /// Adds a scope that is not a plain key.
    private mutating func append(other scope: Scope) {
        places.append(Place(offset: UInt32(others.count), byteCount: 0, namespace: 0))
        others.append(scope)
    }

    /// Adds the key at that offset.
    ///
    /// - Precondition: it has 1 to 4 096 bytes.
    /// - Returns: `false` if nothing was added, because the keys before it have too many
    ///   namespaces.
    package mutating func append(keyAt offset: Int, byteCount: Int, in namespace: Namespace) -> Bool
    {
        precondition((1...CacheKey.bytesMax).contains(byteCount), "a key has 1 to 4096 bytes")
        if namespaces.last != namespace {
            guard namespaces.count < Int(UInt16.max) else { return false }
            namespaces.append(namespace)
        }
        places.append(
            Place(
                offset: UInt32(offset), byteCount: UInt16(byteCount),
                namespace: UInt16(namespaces.count - 1)))
        return true
    }

    // MARK: Reading

    /// Whether every scope is valid; see ``Scope/isMeaningful``.
    package var isMeaningful: Bool { others.allSatisfy(\.isMeaningful) }

    /// Calls `body` for every scope in order, without copying.
    package func forEachItem(_ body: (Item) -> Void) {
        for index in places.indices { withItem(at: index, body) }
    }

    /// Calls `body` for one scope, without copying.
    package func withItem<Result>(at index: Int, _ body: (Item) -> Result) -> Result {
        let place = places[index]
        guard place.byteCount > 0 else { return body(.other(others[Int(place.offset)])) }
        let range = Int(place.offset)..<Int(place.offset) + Int(place.byteCount)
        return bytes.withUnsafeBytes { all in
            body(
                .key(
                    UnsafeRawBufferPointer(rebasing: all[range]),
                    in: namespaces[Int(place.namespace)]))
        }
    }
}

extension ScopeList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { places.count }

    public subscript(index: Int) -> Scope {
        withItem(at: index) { item in
            switch item {
            case .other(let scope): scope
            case .key(let name, let namespace):
                Scope(.key(CacheKey(checked: [UInt8](name)), in: namespace))
            }
        }
    }
}

/// Lists are equal if they have the same scopes in the same order, wherever the names are stored.
extension ScopeList: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for scope in self { hasher.combine(scope) }
    }
}

extension ScopeList: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Scope...) { self.init(elements) }
}

extension ScopeList: CustomStringConvertible {
    public var description: String { Array(self).description }
}
