import CacheModel
import Testing

/// How long the names may be, and of what.
@Suite struct NameBoundsTests {
    @Test func aKeyHasOneTo4096Bytes() {
        #expect(CacheKey(bytes: []) == nil)
        #expect(CacheKey("") == nil)
        #expect(CacheKey(bytes: [0]) != nil)
        #expect(CacheKey(bytes: [UInt8](repeating: 0xFF, count: 4_096))?.bytes.count == 4_096)
        #expect(CacheKey(bytes: [UInt8](repeating: 0xFF, count: 4_097)) == nil)
        #expect(CacheKey.bytesMax == 4_096)
    }

    @Test func aKeyIsCountedInBytesNotInCharacters() {
        #expect(CacheKey(String(repeating: "é", count: 2_048)) != nil)
        #expect(CacheKey(String(repeating: "é", count: 2_049)) == nil)
        #expect(CacheKey("e\u{301}") != CacheKey("é"), "keys are bytes, not canonical text")
        #expect(CacheKey("a")?.description == "a")
        #expect(CacheKey(bytes: [0xFF])?.description == "\u{FFFD}")
    }

    @Test func aTagHasOneTo255Bytes() {
        #expect(Tag(bytes: []) == nil)
        #expect(Tag("") == nil)
        #expect(Tag("a")?.bytes == [0x61])
        #expect(Tag(bytes: [UInt8](repeating: 0, count: 255)) != nil)
        #expect(Tag(bytes: [UInt8](repeating: 0, count: 256)) == nil)
        #expect(Tag(String(repeating: "é", count: 128)) == nil)
        #expect(Tag.bytesMax == 255)
        #expect(Tag.perEntryMax == 64)
    }

    @Test func aValidatorHasOneTo255Bytes() {
        #expect(Validator(bytes: []) == nil)
        #expect(Validator("") == nil)
        #expect(Validator("\"v9\"")?.description == "\"v9\"")
        #expect(Validator(bytes: [UInt8](repeating: 1, count: 255)) != nil)
        #expect(Validator(bytes: [UInt8](repeating: 1, count: 256)) == nil)
        #expect(Validator(bytes: [0, 1]) == nil, "that is how terms of a load begin")
    }

    @Test func namesOfNamespacesAndNodesHaveTheirCharactersOnly() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        #expect(allowed.count == 65)
        for byte in UInt8.min ... .max {
            let isAllowed = allowed.contains(byte)
            #expect(Namespace.isName([byte]) == isAllowed, "byte \(byte)")
            #expect(Namespace.isName([0x61, byte, 0x61]) == isAllowed, "byte \(byte) within")
            let text = String(UnicodeScalar(byte))
            #expect((Namespace(text) != nil) == isAllowed, "scalar \(byte)")
            #expect((NodeID(text) != nil) == isAllowed, "scalar \(byte) of a node")
        }
        #expect(Namespace("größe") == nil)
        #expect(Namespace("a\n") == nil)
    }

    @Test func namesOfNamespacesAndNodesHaveOneTo64Bytes() {
        for (length, isAllowed) in [(0, false), (1, true), (64, true), (65, false)] {
            let name = String(repeating: "n", count: length)
            #expect((Namespace(name)?.name == name) == isAllowed)
            #expect((NodeID(name)?.name == name) == isAllowed)
        }
        #expect(Namespace.default.name == "default")
        #expect(Namespace("default") == .default)
    }
}
