import CacheModel
import CacheWire
import Testing

@Suite struct WireLimitsTests {
    @Test func theRelationsBetweenTheLimitsHold() {
        WireLimits.check()
    }

    @Test func theLimitsAreThoseOfThePage() {
        #expect(WireLimits.frameBytesMax == 1_048_576)
        #expect(WireLimits.operationsPerMessageMax == 1_024)
        #expect(WireLimits.valueBytesMax == 67_108_864)
        #expect(WireLimits.chunkBytesMax == 524_288)
        #expect(WireLimits.timeToLiveMax == 3_153_600_000_000)
        #expect(WireLimits.scanKeysMax == 1_024)
        #expect(WireLimits.replayRecordsMax == 4_096)
    }
}
