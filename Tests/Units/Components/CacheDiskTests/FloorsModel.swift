import ByteCoding
import CacheModel
import TestSupport

@testable import CacheDisk

/// What floors ask of an entry, as text.
struct FloorsSubject {
    /// As a record has it: empty for the default one.
    var namespace = ""
    var key = "key"
    var tags: [String] = []
    var fill: UInt64 = 0

    func verdict(under floors: LastingFloors) -> LastingFloors.Verdict {
        let parts = [Array(namespace.utf8), Array(key.utf8)] + tags.map { Array($0.utf8) }
        return parts.flatMap { $0 }.withUnsafeBytes { bytes in
            var offset = 0
            let lent = parts.map { part in
                defer { offset += part.count }
                return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + part.count])
            }
            var entry = DiskEntry(key: lent[1], value: UnsafeRawBufferPointer(start: nil, count: 0))
            entry.namespace = lent[0]
            entry.tags = Array(lent[2...])
            entry.fill = fill
            return floors.verdict(over: entry)
        }
    }

    /// docs/protocol.md, section 6: the default namespace has a name.
    var route: UInt64 {
        StableHash.hash(Array((namespace.isEmpty ? "default" : namespace).utf8) + [0] + key.utf8)
    }
}

/// Every invalidation there ever was, asked one by one.
struct FloorsModel {
    struct Rise {
        var scope: Scope
        var strength = InvalidationRecord.Strength.hard
        var sequence: UInt64
    }

    var rises: [Rise] = []

    func verdict(over subject: FloorsSubject) -> LastingFloors.Verdict {
        var verdict = LastingFloors.Verdict.clear
        for rise in rises where subject.fill < rise.sequence && Self.covers(rise.scope, subject) {
            if rise.strength == .hard { return .hard }
            verdict = .soft
        }
        return verdict
    }

    private static func covers(_ scope: Scope, _ subject: FloorsSubject) -> Bool {
        if let range = scope.hashRange, !range.contains(subject.route) { return false }
        let namespace = subject.namespace.isEmpty ? "default" : subject.namespace
        switch scope.target {
        case .key: return false
        case .everything: return true
        case .namespace(let other): return other.name == namespace
        case .tag(let tag, let other):
            return other.name == namespace && subject.tags.contains { Array($0.utf8) == tag.bytes }
        case .prefix(let prefix, let other):
            return other.name == namespace && subject.key.utf8.starts(with: prefix)
        }
    }
}

extension LastingFloors {
    mutating func raise(_ rise: FloorsModel.Rise) {
        raise(rise.scope, rise.strength, to: rise.sequence)
    }
}

extension LastingFloors.Verdict {
    /// How much it hides.
    var weight: Int {
        switch self {
        case .clear: 0
        case .soft: 1
        case .hard: 2
        }
    }
}

/// Scopes and entries by chance, of few words, so that they meet.
struct FloorsChance {
    var generator: SeededGenerator
    private static let namespaces = ["", "a", "ab", "images"]
    /// Namespaces beyond the four. Many of them, tags and prefixes leave no room for all.
    var extraNames = 0
    var tagNames = 6
    var letters = Array("ab")
    /// Everything is one scope of forty.
    var isEverythingSpared = false

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func name() -> String {
        let draw = generator.below(Self.namespaces.count + extraNames)
        return draw < Self.namespaces.count ? Self.namespaces[draw] : "n\(draw)"
    }

    mutating func text(_ lengthMax: Int) -> String {
        String(
            (0...generator.below(lengthMax)).map { _ in letters[generator.below(letters.count)] })
    }

    mutating func subject(fillMax: Int) -> FloorsSubject {
        var subject = FloorsSubject(namespace: name(), key: text(8))
        for _ in 0..<generator.below(3) { subject.tags.append("t\(generator.below(tagNames))") }
        subject.fill = UInt64(generator.below(fillMax + 2))
        return subject
    }

    mutating func rise(at sequence: UInt64) throws -> FloorsModel.Rise {
        let name = name()
        let namespace = name.isEmpty ? Namespace.default : Namespace(name)
        guard let namespace, let tag = Tag("t\(generator.below(tagNames))") else { throw NoName() }
        let target: Scope.Target =
            switch generator.below(40) {
            case 0 where !isEverythingSpared: .everything
            case 0...3: .namespace(namespace)
            case 4...20: .tag(tag, in: namespace)
            default: .prefix(Array(text(6).utf8), in: namespace)
            }
        var scope = Scope(target)
        if generator.below(3) > 0 { scope.hashRange = range() }
        return FloorsModel.Rise(
            scope: scope, strength: generator.below(3) == 0 ? .soft : .hard, sequence: sequence)
    }

    struct NoName: Error {}

    /// A slice, or one that begins or ends right at, before or behind some key's hash.
    private mutating func range() -> ClosedRange<UInt64> {
        let slice = UInt64(generator.below(256)) << 56
        let near = subject(fillMax: 1).route &+ UInt64(generator.below(3)) &- 1
        switch generator.below(4) {
        case 0: return slice...(slice | (1 << 56 - 1))
        case 1: return near...UInt64.max
        case 2: return 0...near
        default: return near...max(near, subject(fillMax: 1).route)
        }
    }
}
