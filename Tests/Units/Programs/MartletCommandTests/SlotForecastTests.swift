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

    /// - Parameter weights: in halves.
    private static func members(_ weights: [Int: UInt32]) throws -> [SlotForecast.Member] {
        try weights.sorted { $0.key < $1.key }.map { number, weight in
            SlotForecast.Member(node: try node(number), weightThousandths: weight * 500)
        }
    }

    @Test func aFourthNodeTakesAQuarter() throws {
        let forecast = SlotForecast(
            try Self.holdings([5_462, 5_461, 5_461]),
            members: try Self.members([1: 2, 2: 2, 3: 2, 4: 2]))
        #expect(forecast.lines.map(\.slotsThen) == [4_096, 4_096, 4_096, 4_096])
        #expect(forecast.movingCount == 4_096)
        #expect(forecast.movingBytes == 748, "about a quarter of each node, rounded down")
    }

    @Test func aNodeThatIsNoMemberGivesItsSlotsAway() throws {
        let forecast = SlotForecast(
            try Self.holdings([8_192, 4_096, 4_096]), members: try Self.members([1: 4, 3: 4]))
        #expect(forecast.lines.map(\.node.name) == ["n1", "n3", "n2"])
        #expect(forecast.lines.map(\.slotsThen) == [8_192, 8_192, 0])
        #expect(forecast.movingCount == 4_096 && forecast.movingBytes == 1_000)
    }

    @Test func theSameMembersMoveNothing() throws {
        let forecast = SlotForecast(
            try Self.holdings([5_461, 5_462, 5_461]), members: try Self.members([1: 2, 2: 2, 3: 2]))
        #expect(forecast.movingCount == 0 && forecast.movingBytes == 0)
        #expect(forecast.output(.text(isColoured: false)).text.hasSuffix("no slot moves\n"))
    }

    @Test func bytesOfANodeThatDoesNotAnswerAreUnknown() throws {
        let forecast = SlotForecast(
            try Self.holdings([8_192, 8_192], bytes: [nil, 10]),
            members: try Self.members([1: 2, 2: 6]))
        #expect(forecast.movingCount == 4_096 && forecast.movingBytes == nil)
        let text = forecast.output(.text(isColoured: false)).text
        #expect(text.contains("−4096") && text.contains("unknown"), "\(text)")
        #expect(forecast.output(.json).text.contains(#""bytes_moving":null"#))
    }

    @Test func weightsAreShares() throws {
        let forecast = SlotForecast(
            try Self.holdings([16_384]), members: try Self.members([1: 1, 2: 3]))
        #expect(forecast.lines.map(\.slotsThen) == [4_096, 12_288])
    }
}
