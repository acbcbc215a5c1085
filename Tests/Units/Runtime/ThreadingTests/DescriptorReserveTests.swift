import CacheModel
import Testing
import Threading

@Suite struct DescriptorReserveTests {
    @Test(arguments: [
        (16, 8), (64, 8), (72, 9), (512, 64), (1_024, 64), (1 << 20, 64), (Int.max, 64),
    ])
    func anEighthIsKeptAndNeverFewOrVeryMany(limit: Int, kept: Int) {
        #expect(DescriptorReserve.count(of: limit) == kept)
    }

    @Test(arguments: [
        (10_000, 60, 1_024, 900), (800, 60, 1_024, 800), (10_000, 60, 1 << 20, 10_000),
        (10_000, 60, 64, 1), (1, 2_000, 1_024, 1), (10_000, 0, Int.max, 10_000),
    ])
    func connectionsLeaveTheReserveFree(wanted: Int, open: Int, limit: Int, most: Int) {
        let usage = DescriptorUsage(open: open, max: limit)
        #expect(DescriptorReserve.connectionsMax(wanted, beside: usage) == most)
    }

    @Test func theLastNumbersAreTheReserve() {
        #expect(!DescriptorReserve.contains(447, of: 512))
        #expect(DescriptorReserve.contains(448, of: 512))
        #expect(DescriptorReserve.contains(511, of: 512))
        // A limit that was lowered below what is open.
        #expect(DescriptorReserve.contains(600, of: 512))
    }
}
