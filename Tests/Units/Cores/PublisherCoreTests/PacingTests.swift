import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

@Suite struct PacingTests {
    private static func pacing(milliseconds: UInt32) -> Pacing {
        var request = PaceRequest(.begin)
        request.scopes = [Scope(.everything)]
        request.spanMilliseconds = milliseconds
        request.operation = OperationID(high: 1, low: 1)
        return Pacing(PacingID(1), request, now: Instant(nanoseconds: 0))
    }

    @Test(
        "The slice count is a power of two, and slices are at least 100 ms apart",
        arguments: [
            (UInt32(1_000), UInt32(8)), (1_700, 16), (30_000, 256), (60_000, 512), (102_400, 1_024),
            (604_800_000, 1_024),
        ])
    func sliceCountIsAPowerOfTwo(
        milliseconds: UInt32, slices: UInt32
    ) {
        let pacing = Self.pacing(milliseconds: milliseconds)
        #expect(pacing.sliceCount == slices)
        #expect(pacing.spacing >= .milliseconds(100))
        #expect(pacing.spacing * Int(slices) <= .milliseconds(Int64(milliseconds)))
    }

    @Test(arguments: [UInt32(1_000), 30_000, 3_600_000])
    func theRangesOfAllSlicesCoverEveryHashOnce(milliseconds: UInt32) {
        let pacing = Self.pacing(milliseconds: milliseconds)
        var next: UInt64 = 0
        for slice in 0..<pacing.sliceCount {
            let range = pacing.range(ofSlice: slice)
            #expect(range.lowerBound == next)
            next = range.upperBound &+ 1
        }
        #expect(next == 0, "the last one ends with the space")
    }

    @Test func whatWasHeldUpIsMadeUpForAtTwiceThePace() {
        var pacing = Self.pacing(milliseconds: 30_000)
        let late = Instant(nanoseconds: 10_000_000_000)
        pacing.appended(at: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)), now: late)
        #expect(pacing.nextDue == late.advanced(by: pacing.spacing / 2))
        let next = pacing.nextDue
        pacing.appended(at: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(2)), now: next)
        #expect(pacing.nextDue == next.advanced(by: pacing.spacing / 2), "it is still behind")
    }

    @Test func eachSliceHasANameOfItsOwn() {
        var pacing = Self.pacing(milliseconds: 30_000)
        var names: Set<OperationID> = []
        for slice in 0..<pacing.sliceCount {
            pacing.doneCount = slice
            names.insert(pacing.nextSlice.operation)
        }
        #expect(names.count == Int(pacing.sliceCount))
        #expect(!names.contains(pacing.request.operation))
    }
}
