import ByteCoding
import CacheModel
import CacheWire
import Testing
import TestSupport

/// A list is read in one go; what that does must be what reading scope by scope does.
@Suite struct ScopeListCodingTests {
    private enum Reading: Equatable {
        case read([Scope], leftBytes: Int)
        case refused(WireRefusal)
    }

    private static func inOneGo(_ bytes: [UInt8], count: Int) -> Reading {
        bytes.withUnsafeBytes { all in
            var reader = ByteReader(all)
            do throws(WireRefusal) {
                let list = try ScopeList(decoding: &reader, count: count, of: bytes)
                return .read(Array(list), leftBytes: reader.remainingBytes)
            } catch {
                return .refused(error)
            }
        }
    }

    private static func scopeByScope(_ bytes: [UInt8], count: Int) -> Reading {
        bytes.withUnsafeBytes { all in
            var reader = ByteReader(all)
            do throws(WireRefusal) {
                var scopes: [Scope] = []
                for _ in 0..<count { scopes.append(try Scope(decoding: &reader)) }
                return .read(scopes, leftBytes: reader.remainingBytes)
            } catch {
                return .refused(error)
            }
        }
    }

    private static func scopes(
        _ count: Int, _ dice: inout SeededGenerator
    ) throws -> [Scope] {
        let rooms = try ["default", "a", "images", "images2"].map { try #require(Namespace($0)) }
        return try (0..<count).map { _ in
            let room = try #require(rooms.randomElement(using: &dice))
            let name = [UInt8](repeating: .random(in: 0...255, using: &dice), count: 3)
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: return Scope(.everything)
            case 1: return Scope(.namespace(room), hashRange: 1...2)
            case 2: return Scope(.prefix(name, in: room))
            case 3: return Scope(.tag(try #require(Tag(bytes: name)), in: room))
            case 4:
                let key = try #require(CacheKey(bytes: name))
                return Scope(.key(key, in: room), minimumVersion: Version(9))
            default: return Scope(.key(try #require(CacheKey(bytes: name)), in: room))
            }
        }
    }

    private static func written(_ scopes: [Scope]) -> [UInt8] {
        var writer = ByteWriter()
        for scope in scopes { scope.encode(into: &writer) }
        return writer.array
    }

    @Test func whatIsWrittenAsAListIsWhatItsScopesAre() throws {
        var dice = SeededGenerator(seed: 62)
        for _ in 0..<200 {
            let scopes = try Self.scopes(.random(in: 0...40, using: &dice), &dice)
            var writer = ByteWriter()
            ScopeList(scopes).encode(into: &writer)
            #expect(writer.array == Self.written(scopes))
        }
    }

    @Test func aListIsReadAsItsScopesAreOneByOne() throws {
        var dice = SeededGenerator(seed: 63)
        for _ in 0..<200 {
            let scopes = try Self.scopes(.random(in: 0...40, using: &dice), &dice)
            let bytes = Self.written(scopes) + [1, 2, 3]
            #expect(
                Self.inOneGo(bytes, count: scopes.count) == .read(scopes, leftBytes: 3))
        }
    }

    @Test func everyChangedByteAndEveryEndIsReadOrRefusedAlike() throws {
        var dice = SeededGenerator(seed: 64)
        for _ in 0..<20 {
            let scopes = try Self.scopes(6, &dice)
            let bytes = Self.written(scopes)
            for place in bytes.indices {
                var changed = bytes
                changed[place] = .random(in: 0...255, using: &dice)
                for damaged in [changed, Array(bytes[..<place])] {
                    #expect(
                        Self.inOneGo(damaged, count: 6) == Self.scopeByScope(damaged, count: 6),
                        "\(damaged)")
                }
            }
        }
    }

    @Test func theDefaultNamespaceMayBeNamed() throws {
        let key = Scope(.key(try #require(CacheKey("k")), in: .default))
        var bytes = Self.written([key])
        bytes[2] = 7
        bytes.insert(contentsOf: Array("default".utf8), at: 8)
        #expect(Self.inOneGo(bytes, count: 1) == .read([key], leftBytes: 0))
    }
}
