import CacheConfiguration
import CacheModel
import CommandSurface
import Testing

@testable import martlet

/// How many slots a file would move, by the same rule as the publisher moves them.
@Suite struct SlotForecastTests {
    private static func node(_ number: Int) throws -> NodeID {
        try #require(NodeID("n\(number)"))
    }

    private static func holdings(
        _ counts: [Int], bytes: [UInt64?] = []
    ) throws -> [SlotForecast.Holding] {
        try counts.enumerated().map { index, count in
            SlotForecast.Holding(
                node: try node(index + 1), slotCount: count,
                entryBytes: index < bytes.count ? bytes[index] : 1_000)
        }
    }

    private static func listed(_ weights: [Int: Double]) throws -> [NodeSettings] {
        try weights.sorted { $0.key < $1.key }.map { number, weight in
            var settings = NodeSettings(id: try node(number))
            settings.weight = weight
            return settings
        }
    }

    @Test func aFourthNodeTakesAQuarter() throws {
        let forecast = SlotForecast(
            try Self.holdings([5_462, 5_461, 5_461]),
            listed: try Self.listed([1: 1, 2: 1, 3: 1, 4: 1]))
        #expect(forecast.lines.map(\.slotsThen) == [4_096, 4_096, 4_096, 4_096])
        #expect(forecast.movingCount == 4_096)
        #expect(forecast.movingBytes == 748, "about a quarter of each node, rounded down")
    }

    @Test func aNodeThatIsNotListedGivesItsSlotsAway() throws {
        let forecast = SlotForecast(
            try Self.holdings([8_192, 4_096, 4_096]), listed: try Self.listed([1: 2, 3: 2]))
        #expect(forecast.lines.map(\.node.name) == ["n1", "n3", "n2"])
        #expect(forecast.lines.map(\.slotsThen) == [8_192, 8_192, 0])
        #expect(forecast.movingCount == 4_096 && forecast.movingBytes == 1_000)
    }

    @Test func theSameListMovesNothing() throws {
        let forecast = SlotForecast(
            try Self.holdings([5_461, 5_462, 5_461]), listed: try Self.listed([1: 1, 2: 1, 3: 1]))
        #expect(forecast.movingCount == 0 && forecast.movingBytes == 0)
        #expect(forecast.output(.text(isColoured: false)).text.hasSuffix("no slot moves\n"))
    }

    @Test func bytesOfANodeThatDoesNotAnswerAreUnknown() throws {
        let forecast = SlotForecast(
            try Self.holdings([8_192, 8_192], bytes: [nil, 10]),
            listed: try Self.listed([1: 1, 2: 3]))
        #expect(forecast.movingCount == 4_096 && forecast.movingBytes == nil)
        let text = forecast.output(.text(isColoured: false)).text
        #expect(text.contains("−4096") && text.contains("unknown"), "\(text)")
        #expect(forecast.output(.json).text.contains(#""bytes_moving":null"#))
    }

    @Test func weightsAreShares() throws {
        let forecast = SlotForecast(
            try Self.holdings([16_384]), listed: try Self.listed([1: 0.5, 2: 1.5]))
        #expect(forecast.lines.map(\.slotsThen) == [4_096, 12_288])
    }
}
