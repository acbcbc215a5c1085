/// Bytes with wildcards that keys are matched against, as those of Redis' KEYS.
///
/// | in a pattern | matches |
/// |---|---|
/// | `*` | any bytes, also none; `/` is no exception |
/// | `?` | one byte, which is not always one character |
/// | `[a-z_]` | one byte of the set |
/// | `[^a-z]` | one byte that is not of the set |
/// | `\x` | the byte `x`, whatever it means otherwise; inside a set, too |
///
/// The whole key has to match. Inside a set `^` is special in the first place only, and `-` only
/// between two bytes.
public struct KeyGlob: Hashable, Sendable {
    /// Longest pattern, in bytes.
    public static let bytesMax = 512

    /// One part of the pattern.
    enum Element: Hashable, Sendable {
        case byte(UInt8)
        case anyByte
        /// Any bytes, also none. No two stand side by side.
        case anyBytes
        case oneOf(ByteSet)

        /// Whether it takes exactly one byte, and may take this one.
        @inline(__always)
        func accepts(_ byte: UInt8) -> Bool {
            switch self {
            case .byte(let own): own == byte
            case .anyByte: true
            case .anyBytes: false
            case .oneOf(let set): set.contains(byte)
            }
        }
    }

    /// As it was written.
    public let bytes: [UInt8]
    let elements: [Element]

    /// Reads a pattern.
    ///
    /// - Parameter bytes: 1 to 512 of them.
    /// - Throws: ``KeyGlobError`` if it is empty, too long, or has no meaning.
    /// - Complexity: O(bytes).
    public init(_ bytes: [UInt8]) throws(KeyGlobError) {
        guard !bytes.isEmpty else {
            throw KeyGlobError(1, "a pattern has at least one byte; * is every key")
        }
        guard bytes.count <= Self.bytesMax else {
            throw KeyGlobError(
                Self.bytesMax + 1,
                "a pattern has at most \(Self.bytesMax) bytes, not \(bytes.count); "
                    + "shorten it with *")
        }
        var parser = KeyGlobParser(bytes)
        elements = try parser.elements()
        self.bytes = bytes
    }

    /// Whether the whole key matches.
    ///
    /// Iterative: where bytes do not fit, the last `*` takes one byte more. Earlier ones need not
    /// change, because the shortest match of each leaves the most for those behind it.
    ///
    /// - Complexity: O(bytes of the key × bytes of the pattern) at worst; O(bytes of both) where
    ///   what stands between two `*` does not repeat itself.
    public func matches(_ key: CacheKey) -> Bool {
        key.bytes.withUnsafeBufferPointer { matches($0) }
    }

    func matches(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        var (element, byte) = (0, 0)
        // Behind the last `*`, and up to where that one reaches.
        var (again, reach) = (-1, 0)
        while byte < key.count {
            if element < elements.count, elements[element].accepts(key[byte]) {
                element += 1
                byte += 1
            } else if element < elements.count, elements[element].isAnyBytes {
                element += 1
                (again, reach) = (element, byte)
            } else if again >= 0 {
                reach += 1
                (element, byte) = (again, reach)
            } else {
                return false
            }
        }
        if element < elements.count, elements[element].isAnyBytes { element += 1 }
        return element == elements.count
    }

    // MARK: What it is beside a pattern

    /// The bytes before the first wildcard: every key that matches begins with them.
    public var literalPrefix: [UInt8] {
        var prefix: [UInt8] = []
        for case .byte(let byte) in elements.prefix(while: \.isByte) { prefix.append(byte) }
        return prefix
    }

    /// What else says the same, exactly and without looking at keys.
    public enum Equivalent: Hashable, Sendable {
        /// Without a wildcard it is one key.
        case key(CacheKey)
        /// Bytes with one `*` behind them.
        case prefix([UInt8])
        /// Every key. `?*` is one such pattern: a key has at least one byte.
        case everyKey
    }

    /// A scope that covers exactly the keys that match; `nil` if there is none.
    public var equivalent: Equivalent? {
        let prefix = literalPrefix
        if prefix.count == elements.count { return CacheKey(bytes: prefix).map { .key($0) } }
        if matchesEveryKey { return .everyKey }
        guard elements.last?.isAnyBytes == true, prefix.count + 1 == elements.count else {
            return nil
        }
        return .prefix(prefix)
    }

    /// Whether there is a `*`, and beside it at most one byte, which may be any.
    private var matchesEveryKey: Bool {
        let others = elements.filter { !$0.isAnyBytes }
        return others.count < elements.count && others.count <= 1
            && others.allSatisfy(\.acceptsEveryByte)
    }

    /// `target` without keys that begin otherwise than the pattern: what is to be scanned for keys
    /// of `target` that match.
    public func narrowing(_ target: Scope.Target) -> Scope.Target {
        let prefix = literalPrefix
        guard !prefix.isEmpty else { return target }
        switch target {
        case .namespace(let namespace): return .prefix(prefix, in: namespace)
        case .prefix(let other, let namespace) where prefix.starts(with: other):
            return .prefix(prefix, in: namespace)
        case .key, .tag, .prefix, .everything: return target
        }
    }
}

extension KeyGlob: CustomStringConvertible {
    /// As text, for people; bytes that are not UTF-8 show as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension KeyGlob.Element {
    var isAnyBytes: Bool {
        if case .anyBytes = self { true } else { false }
    }

    fileprivate var isByte: Bool {
        if case .byte = self { true } else { false }
    }

    fileprivate var acceptsEveryByte: Bool { (UInt8.min...UInt8.max).allSatisfy(accepts) }
}

/// Why bytes are no ``KeyGlob``.
public struct KeyGlobError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which byte of the pattern is at fault, from 1.
    public let position: Int
    /// What is wrong, and what to write instead.
    public let sentence: String

    init(_ position: Int, _ sentence: String) {
        self.position = position
        self.sentence = sentence
    }

    public var description: String { "byte \(position): \(sentence)" }
}
