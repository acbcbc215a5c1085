import CacheModel
import Testing

/// Whether a pattern matches what it says, held against a reference that tries everything.
@Suite struct KeyGlobTests {
    private func glob(_ text: String) throws -> KeyGlob { try KeyGlob(Array(text.utf8)) }

    private func key(_ text: String) throws -> CacheKey { try #require(CacheKey(text)) }

    /// All texts of 1 to `longest` letters.
    private func texts(of letters: String, longest: Int) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var last: [[UInt8]] = [[]]
        for _ in 0..<longest {
            last = last.flatMap { text in letters.utf8.map { text + [$0] } }
            all += last
        }
        return all
    }

    @Test func everyShortPatternMatchesEveryShortKeyAsTheReferenceDoes() throws {
        let keys = try texts(of: "ab/", longest: 4).map { try #require(CacheKey(bytes: $0)) }
        var (wellFormed, matches) = (0, 0)
        for bytes in texts(of: "ab*?[]^\\", longest: 4) {
            let reference = ReferenceGlob(bytes)
            let glob = Result { () throws(KeyGlobError) in try KeyGlob(bytes) }
            #expect((try? glob.get()) != nil || reference == nil, "\(bytes) is refused")
            guard let reference, case .success(let glob) = glob else {
                #expect(reference == nil, "\(bytes) is taken")
                continue
            }
            wellFormed += 1
            for key in keys {
                let isMatch = glob.matches(key)
                if isMatch { matches += 1 }
                if isMatch != reference.matches(key.bytes) {
                    Issue.record("\(glob) and \(key): \(isMatch)")
                }
            }
        }
        #expect(wellFormed > 1_500 && matches > 10_000, "\(wellFormed) patterns, \(matches)")
    }

    @Test func everyShortSetHasTheBytesThatTheReferenceHas() throws {
        let letters = Array("ac-^\\]b\u{0}".utf8)
        for body in texts(of: "ac-^\\]", longest: 4) {
            let bytes = Array("[".utf8) + body + Array("]".utf8)
            guard let reference = ReferenceGlob(bytes) else {
                #expect(throws: KeyGlobError.self) { try KeyGlob(bytes) }
                continue
            }
            let glob = try KeyGlob(bytes)
            for letter in letters {
                // What stands behind the set is part of some of these patterns.
                for rest in ["", "]", "c]", "a]", "-]"] {
                    let key = try #require(CacheKey(bytes: [letter] + Array(rest.utf8)))
                    if glob.matches(key) != reference.matches(key.bytes) {
                        Issue.record("\(glob) and \(key)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("user:*:cart", ["user:1:cart", "user::cart", "user:a/b:cart", "user:1:cart:cart"]),
        ("*", ["a", "a/b", "\u{0}"]), ("?", ["a", "*"]), ("??", ["ä"]),
        ("[a-cx]*", ["a", "b1", "x"]), ("[^a-c]", ["d", "^"]), ("\\*\\?", ["*?"]),
        ("[\\]\\-]", ["]", "-"]), ("[-a]", ["-", "a"]), ("[a-]", ["-", "a"]),
        ("a**b", ["ab", "axxb"]), ("]", ["]"]), ("[a^]", ["a", "^"]),
    ])
    func aPatternMatchesTheWholeKey(pattern: String, keys: [String]) throws {
        for text in keys { #expect(try glob(pattern).matches(key(text)), "\(pattern) \(text)") }
    }

    @Test(arguments: [
        ("user:*:cart", ["user:1:carts", "xuser:1:cart", "user:cart"]),
        ("?", ["ä", "aa"]), ("[a-c]", ["d", "ab"]), ("[^a-c]", ["a"]), ("a", ["b", "aa"]),
        ("*a", ["b", "ab"]), ("\\*", ["a"]),
    ])
    func andNoOther(pattern: String, keys: [String]) throws {
        for text in keys { #expect(try !glob(pattern).matches(key(text)), "\(pattern) \(text)") }
    }

    /// One that tried each place of each star again would not end before the sun does.
    @Test(.timeLimit(.minutes(1))) func manyStarsOverALongKeyEnd() throws {
        let key = try #require(
            CacheKey(bytes: [UInt8](repeating: UInt8(ascii: "a"), count: CacheKey.bytesMax)))
        let many = try glob(String(repeating: "*a", count: 255) + "*b")
        #expect(!many.matches(key))
        let long = try glob("*" + String(repeating: "a", count: 510) + "b")
        #expect(!long.matches(key))
        #expect(try glob(String(repeating: "*a", count: 256)).matches(key))
    }

    @Test(arguments: [
        ("", 1, "at least one byte"), ("ab[c", 3, "has no ]"), ("[", 1, "has no ]"),
        ("[^", 1, "has no ]"), ("a[]", 2, "without a byte"), ("[^]", 1, "without a byte"),
        ("ab\\", 3, "a backslash at the end"), ("[\\", 2, "a backslash at the end"),
        ("x[z-a]", 3, "ends before it begins"), ("[a-\\", 4, "a backslash at the end"),
        ("[a-", 1, "has no ]"),
    ])
    func whatHasNoMeaningIsRefusedWithItsPlaceAndARemedy(
        pattern: String, position: Int, words: String
    ) throws {
        let error = #expect(throws: KeyGlobError.self) { try glob(pattern) }
        #expect(error?.position == position, "\(pattern): \(error?.position ?? 0)")
        #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
    }

    @Test func aPatternHasAtMost512Bytes() throws {
        let most = [UInt8](repeating: UInt8(ascii: "a"), count: 512)
        #expect(try KeyGlob(most).bytes == most)
        let error = #expect(throws: KeyGlobError.self) { try KeyGlob(most + most.prefix(1)) }
        #expect(error?.position == 513)
    }

    // MARK: What it is beside a pattern

    @Test(arguments: [
        ("user:*", "user:"), ("user:?a", "user:"), ("a\\*b*", "a*b"), ("*a", ""), ("abc", "abc"),
        ("a[b]c", "a"),
    ])
    func everyMatchBeginsWithTheLiteralPrefix(pattern: String, prefix: String) throws {
        #expect(try glob(pattern).literalPrefix == Array(prefix.utf8))
    }

    @Test func whatAnotherScopeSaysExactlyIsFound() throws {
        #expect(try glob("user:*").equivalent == .prefix(Array("user:".utf8)))
        #expect(try glob("user:**").equivalent == .prefix(Array("user:".utf8)))
        #expect(try glob("a\\*").equivalent == .key(key("a*")))
        for pattern in ["*", "**", "?*", "*?", "*?*"] {
            #expect(try glob(pattern).equivalent == .everyKey, "\(pattern)")
        }
        let allBytes = Array("*[".utf8) + [0, UInt8(ascii: "-"), 255] + Array("]".utf8)
        #expect(try KeyGlob(allBytes).equivalent == .everyKey)
        for pattern in ["*a", "a*b", "a?", "a*?", "[a]*", "?", "?*?", "??*"] {
            #expect(try glob(pattern).equivalent == nil, "\(pattern)")
        }
    }

    @Test func aScanLeavesOutWhatBeginsOtherwise() throws {
        let glob = try glob("user:1*x")
        let own = Scope.Target.prefix(Array("user:1".utf8), in: .default)
        #expect(glob.narrowing(.namespace(.default)) == own)
        #expect(glob.narrowing(.prefix(Array("user".utf8), in: .default)) == own)
        for other in ["user:1234", "page:"] {
            let target = Scope.Target.prefix(Array(other.utf8), in: .default)
            #expect(glob.narrowing(target) == target)
        }
        #expect(glob.narrowing(.everything) == .everything)
        let any = try self.glob("*x")
        #expect(any.narrowing(.namespace(.default)) == .namespace(.default))
    }
}

/// A pattern that is matched by trying every length of every star.
private struct ReferenceGlob {
    private enum Part {
        case star
        /// One of these bytes.
        case one(Set<UInt8>)
    }

    private var parts: [Part] = []

    /// - Returns: `nil` if it has no meaning.
    init?(_ pattern: [UInt8]) {
        var rest = pattern[...]
        guard !rest.isEmpty else { return nil }
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "*"): parts.append(.star)
            case UInt8(ascii: "?"): parts.append(.one(Set(0...255)))
            case UInt8(ascii: "["):
                guard let set = Self.set(&rest) else { return nil }
                parts.append(.one(set))
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { return nil }
                parts.append(.one([next]))
            default: parts.append(.one([first]))
            }
        }
    }

    /// The set's body as tokens, of which an escaped one is never special.
    private static func set(_ rest: inout ArraySlice<UInt8>) -> Set<UInt8>? {
        var tokens: [(byte: UInt8, isPlain: Bool)] = []
        var isClosed = false
        while let next = rest.popFirst() {
            if next == UInt8(ascii: "]") {
                isClosed = true
                break
            }
            if next == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                tokens.append((escaped, false))
            } else {
                tokens.append((next, true))
            }
        }
        let isInverted = tokens.first.map { $0.byte == UInt8(ascii: "^") && $0.isPlain } ?? false
        if isInverted { tokens.removeFirst() }
        guard isClosed, !tokens.isEmpty else { return nil }
        var set: Set<UInt8> = []
        var index = 0
        while index < tokens.count {
            let first = tokens[index].byte
            if index + 2 < tokens.count, tokens[index + 1].byte == UInt8(ascii: "-"),
                tokens[index + 1].isPlain
            {
                let last = tokens[index + 2].byte
                guard first <= last else { return nil }
                set.formUnion(first...last)
                index += 3
            } else {
                set.insert(first)
                index += 1
            }
        }
        return isInverted ? Set(0...255).subtracting(set) : set
    }

    func matches(_ key: [UInt8]) -> Bool { matches(parts[...], key[...]) }

    private func matches(_ parts: ArraySlice<Part>, _ key: ArraySlice<UInt8>) -> Bool {
        guard let first = parts.first else { return key.isEmpty }
        switch first {
        case .star:
            return (0...key.count).contains { matches(parts.dropFirst(), key.dropFirst($0)) }
        case .one(let set):
            guard let byte = key.first, set.contains(byte) else { return false }
            return matches(parts.dropFirst(), key.dropFirst())
        }
    }
}
