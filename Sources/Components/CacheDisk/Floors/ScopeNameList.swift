import ByteCoding

/// A value per scope, sorted by name, found by binary search.
///
/// The prefixes of a name are found from the greatest name that is not above it: a shorter prefix
/// cannot be longer than what both have in common.
///
///     searched    a b c d        1. the last up to it     a b b      common: a b
///     names       a              2. the last up to  a b   a b        is a prefix
///                 a b            3. the last up to  a     a          is a prefix
///                 a b b
struct ScopeNameList<Value: Sendable>: Sendable {
    private(set) var names: [ScopeName] = []
    /// Sorted by name.
    var values: [Value] = []

    var count: Int { names.count }
    var isEmpty: Bool { names.isEmpty }

    /// - Complexity: O(log count) comparisons.
    func index(of name: UnsafeRawBufferPointer) -> Int? {
        let end = end(through: name, before: count)
        guard end > 0, names[end - 1].bytes.count == name.count,
            Self.common(names[end - 1], name) == name.count
        else { return nil }
        return end - 1
    }

    /// Calls `body` with the index of each prefix of this name, the longest first.
    func forEach(beginning name: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
        var (rest, end) = (name, count)
        while true {
            end = self.end(through: rest, before: end)
            guard end > 0 else { return }
            let common = Self.common(names[end - 1], rest)
            guard common == names[end - 1].bytes.count else {
                rest = UnsafeRawBufferPointer(rebasing: rest[..<common])
                continue
            }
            end -= 1
            body(end)
            guard common > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[..<(common - 1)])
        }
    }

    /// The index of a name, which is inserted with `value` if it is new.
    ///
    /// - Returns: whether it is new.
    /// - Complexity: O(log count); a new one moves all that follow it.
    mutating func place(_ name: ScopeName, _ value: Value) -> (index: Int, isNew: Bool) {
        name.bytes.withUnsafeBytes { bytes in
            if let index = index(of: bytes) { return (index, false) }
            let index = end(through: bytes, before: count)
            names.insert(name, at: index)
            values.insert(value, at: index)
            return (index, true)
        }
    }

    /// - Returns: `false`, without a change, if its name does not follow all others.
    mutating func append(_ name: ScopeName, _ value: Value) -> Bool {
        if let last = names.last {
            let isBehind = last.bytes.withUnsafeBytes { last in
                name.bytes.withUnsafeBytes { Self.isAfter($0, last) }
            }
            guard isBehind else { return false }
        }
        names.append(name)
        values.append(value)
        return true
    }

    /// Calls `body` for each, in order, and removes those that it rejects.
    ///
    /// - Parameter body: changes the value; `false` removes it.
    mutating func keep(_ body: (ScopeName, inout Value) -> Bool) {
        var kept = 0
        for index in names.indices where body(names[index], &values[index]) {
            names.swapAt(kept, index)
            values.swapAt(kept, index)
            kept += 1
        }
        names.removeLast(names.count - kept)
        values.removeLast(values.count - kept)
    }

    mutating func removeAll() {
        names = []
        values = []
    }

    /// Bytes used, without those that values allocate elsewhere.
    var memoryBytes: Int {
        let fixed =
            names.capacity * MemoryLayout<ScopeName>.stride
            + values.capacity * MemoryLayout<Value>.stride
        return names.reduce(fixed) { $0 + Self.arrayBytes + $1.bytes.count }
    }

    /// The header of an array's storage.
    private static var arrayBytes: Int { 32 }
}

// MARK: - Order

extension ScopeNameList {
    /// How many of the first `end` names are not above this one.
    private func end(through name: UnsafeRawBufferPointer, before end: Int) -> Int {
        var (low, high) = (0, end)
        while low < high {
            let middle = (low + high) / 2
            let isAbove = names[middle].bytes.withUnsafeBytes { Self.isAfter($0, name) }
            if isAbove { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func isAfter(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        let common = common(left, right)
        guard common < left.count else { return false }
        return common == right.count || left[common] > right[common]
    }

    private static func common(_ name: ScopeName, _ bytes: UnsafeRawBufferPointer) -> Int {
        name.bytes.withUnsafeBytes { common($0, bytes) }
    }

    /// The length of the common prefix.
    private static func common(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(left.count, right.count)
        var offset = 0
        while count - offset >= 8 {
            let other = StableHash.word(left, offset) ^ StableHash.word(right, offset)
            if other != 0 { return offset + other.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < count, left[offset] == right[offset] { offset += 1 }
        return offset
    }
}
