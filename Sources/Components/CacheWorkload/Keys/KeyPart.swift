/// The keys that one thread owns: of every `count` keys in a row, the one at `index`.
///
/// Only the owner changes these keys. Parts may be divided again: a thread's part of a machine's
/// part is ``part(_:of:)``, and machines may differ in their number of threads.
public struct KeyPart: Hashable, Sendable {
    @usableFromInline package let index: Int
    @usableFromInline package let count: Int

    /// All keys.
    package static let all = KeyPart(index: 0, count: 1)

    /// - Parameter index: 0 ..< `count`.
    package init(index: Int, count: Int) {
        precondition(index >= 0 && index < count, "a part is one of its whole")
        self.index = index
        self.count = count
    }

    /// The part `index` of `count` of this one.
    package func part(_ index: Int, of count: Int) -> KeyPart {
        KeyPart(index: index * self.count + self.index, count: count * self.count)
    }

    /// How many of the first `keyCount` keys are in it.
    @inlinable
    package func ownCount(of keyCount: Int) -> Int {
        keyCount <= index ? 0 : (keyCount - index - 1) / count + 1
    }

    /// The key at index `place` of its own keys, from 0.
    @inlinable
    package func key(at place: Int) -> Int { place * count + index }

    /// The nearest own key at or below `key`, or else above it.
    ///
    /// - Parameter keyCount: how many keys there are, at least one of them its own.
    @inlinable
    package func own(_ key: Int, of keyCount: Int) -> Int {
        if count == 1 { return key }
        let near = key - key % count + index
        return near < keyCount ? near : near - count
    }
}
