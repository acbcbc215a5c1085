import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer

@Suite struct ReadSizesTests {
    private static func key(_ number: Int) throws -> CacheKey {
        try #require(CacheKey("k\(number)"))
    }

    @Test func whatIsKnownOfAKeyIsHeldFree() throws {
        let sizes = ReadSizes()
        #expect(sizes.estimate(.default, try Self.key(1)) == 0)
        sizes.note(.default, try Self.key(1), bytes: 60 << 20)
        #expect(sizes.estimate(.default, try Self.key(1)) == 60 << 20)
        sizes.note(.default, try Self.key(1), bytes: 100)
        #expect(sizes.estimate(.default, try Self.key(1)) == 100)
    }

    @Test func ofOthersTheMeanIs() throws {
        let sizes = ReadSizes()
        for number in 0..<200 { sizes.note(.default, try Self.key(number), bytes: 1 << 20) }
        let mean = sizes.estimate(.default, try Self.key(5_000))
        #expect((900 << 10...1 << 20).contains(mean), "\(mean)")
    }

    @Test func theEstimateOfAnUnknownKeyIsBounded() throws {
        let sizes = ReadSizes()
        for _ in 0..<200 { sizes.note(.default, try Self.key(1), bytes: 64 << 20) }
        #expect(
            sizes.estimate(.default, try Self.key(2)) == GatewayLimits.unknownValueBytesMax)
    }

    @Test func ofAKeyThatTookAnothersPlaceTheMeanIs() throws {
        let sizes = ReadSizes()
        sizes.note(.default, try Self.key(0), bytes: 64 << 20)
        let places = 3 * GatewayLimits.readSizePlaces
        let known = try (1...places).count {
            sizes.estimate(.default, try Self.key($0)) > GatewayLimits.unknownValueBytesMax
        }
        #expect(known == 0, "a stranger at its place is not taken for it")
    }

    @Test func noEstimateIsMoreThanAValueMayHave() throws {
        let sizes = ReadSizes()
        sizes.note(.default, try Self.key(1), bytes: .max)
        #expect(sizes.estimate(.default, try Self.key(1)) == GatewayLimits.bodyBytesMost)
    }
}
