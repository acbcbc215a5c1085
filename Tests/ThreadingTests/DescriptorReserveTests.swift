import Testing
import Threading

@Suite struct DescriptorReserveTests {
    @Test(arguments: [
        (16, 8), (64, 8), (72, 9), (512, 64), (1_024, 64), (1 << 20, 64), (Int.max, 64),
    ])
    func anEighthIsKeptAndNeverFewOrVeryMany(limit: Int, kept: Int) {
        #expect(DescriptorReserve.count(of: limit) == kept)
    }

    @Test func theLastNumbersAreTheReserve() {
        #expect(!DescriptorReserve.contains(447, of: 512))
        #expect(DescriptorReserve.contains(448, of: 512))
        #expect(DescriptorReserve.contains(511, of: 512))
        // A limit that was lowered below what is open.
        #expect(DescriptorReserve.contains(600, of: 512))
    }
}
