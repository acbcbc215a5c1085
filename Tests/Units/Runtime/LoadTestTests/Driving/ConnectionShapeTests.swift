import CacheWorkload
import Testing

@testable import LoadTest

@Suite struct ConnectionShapeTests {
    private static func setup(
        _ mix: OperationMix, batch: Int, inFlight: Int, shards: Int = 3
    ) -> DriverSetup {
        var phase = WorkloadPhase(name: "steady")
        phase.mix = mix
        phase.batch = batch
        phase.inFlightMax = inFlight
        return DriverSetup(
            phase: phase, share: ThreadShare(thread: 0, of: 1),
            target: DriverTarget(shardCount: shards), seed: 1)
    }

    /// Messages that are being filled take no place from those on their way.
    @Test func aWindowHasRoomForWhatIsBeingFilled() {
        let setup = Self.setup(.reads(0.9), batch: 64, inFlight: 64)
        #expect(setup.shape.window == 1 + 3 * 2 && setup.openMax == 64 * 7)
        let reads = Self.setup(.only(.get), batch: 64, inFlight: 256)
        #expect(reads.shape.window == 4 + 3)
        let single = Self.setup(.reads(0.9), batch: 1, inFlight: 64)
        #expect(single.shape.window == 64 && single.openMax == 64)
    }

    @Test(arguments: [1, 64, 1_024])
    func aRecordHasAsManyKeysAsAnyMessage(batch: Int) {
        let setup = Self.setup(.only(.invalidate), batch: batch, inFlight: 1_024)
        #expect(setup.shape.invalidations?.batch == min(batch, 1_000))
    }

    @Test func phasesAlikeShareTheLargestConnection() {
        let small = Self.setup(.only(.get), batch: 1, inFlight: 4).shape
        let large = Self.setup(.reads(0.5), batch: 1, inFlight: 64).shape
        #expect(small.joined(large)?.window == 64 && large.serves(small))
        #expect(!small.serves(large))
        let invalidating = Self.setup(.only(.invalidate), batch: 1, inFlight: 4).shape
        #expect(!small.serves(invalidating))
        #expect(small.joined(invalidating)?.serves(small) == true)
    }

    @Test func phasesOfOtherBatchesDoNot() {
        let one = Self.setup(.only(.get), batch: 8, inFlight: 64).shape
        #expect(one.joined(Self.setup(.only(.get), batch: 1, inFlight: 64).shape) == nil)
        #expect(one.joined(Self.setup(.only(.get), batch: 8, inFlight: 128).shape) == nil)
        #expect(one.serves(one))
    }
}
