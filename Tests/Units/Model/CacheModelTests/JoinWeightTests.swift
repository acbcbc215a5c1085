import CacheModel
import Testing

@Suite struct JoinWeightTests {
    static let samples: [(Int, UInt32)] = [
        (0, 1), (1 << 20, 1), (256 << 20, 250), (1 << 30, 1_000), (3 << 29, 1_500),
        (1 << 40, 1_024_000), (Int.max, 0x7FFF_FFFF),
    ]

    @Test(arguments: samples)
    func aGibibyteOfMemoryWeighsOne(memory: Int, thousandths: UInt32) {
        #expect(JoinWeight.thousandths(ofMemory: memory) == thousandths)
        let weight = JoinWeight(memory: memory)
        #expect(weight.isJoining && weight.thousandths(areWeightsStated: false) == thousandths)
        #expect(weight.thousandths(areWeightsStated: true) == 1_000)
    }

    @Test(arguments: [1, 2_500, 0x7FFF_FFFF] as [UInt32])
    func aStatedWeightCountsWhateverOthersState(thousandths: UInt32) {
        for areStated in [false, true] {
            let weight = JoinWeight(thousandths: thousandths)
            #expect(weight.thousandths(areWeightsStated: areStated) == thousandths)
        }
        #expect(!JoinWeight.none.isJoining)
    }
}
