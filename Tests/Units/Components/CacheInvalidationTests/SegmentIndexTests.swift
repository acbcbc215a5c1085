import CacheInvalidation
import CacheModel
import Testing

@Suite struct SegmentIndexTests {
    @Test func theNearestPlaceIsNeverBehind() {
        let size = 1_000
        var index = SegmentIndex()
        for number in 1...500 { index.note(SequenceNumber(UInt64(number)), at: number * size) }
        #expect(index.offset(atOrBefore: .none) == nil)
        for number in 1...600 {
            let offset = index.offset(atOrBefore: SequenceNumber(UInt64(number))) ?? .max
            let exact = min(number, 500) * size
            #expect(offset <= exact)
            #expect(exact - offset <= InvalidationLimits.indexSpacingBytes + 100 * size)
        }
    }

    @Test func onlyAFewPlacesAreKept() {
        var index = SegmentIndex()
        for number in 1...10 { index.note(SequenceNumber(UInt64(number)), at: 64 + number) }
        #expect(index.offset(atOrBefore: SequenceNumber(10)) == 65)
        index.note(SequenceNumber(11), at: 65 + InvalidationLimits.indexSpacingBytes)
        #expect(index.offset(atOrBefore: SequenceNumber(10)) == 65)
        #expect(
            index.offset(atOrBefore: SequenceNumber(11))
                == 65 + InvalidationLimits.indexSpacingBytes)
    }
}
