import CacheModel
import Testing

@Suite struct ClusterIDTests {
    @Test func itIsWrittenWithAllItsDigitsAndReadBack() {
        for value: UInt64 in [0, 1, 0xC0FFEE, 1 << 63, .max] {
            let id = ClusterID(value)
            #expect(id.description.utf8.count == 16)
            #expect(ClusterID(text: id.description) == id)
        }
        #expect(ClusterID(0xAB).description == "00000000000000ab")
    }

    @Test func whatIsNoIdentityIsNotRead() {
        for text in ["", "-", "ab", "00000000000000AB", "+0000000000000ab", "0000000000000000 "] {
            #expect(ClusterID(text: text) == nil, "\(text)")
        }
    }

    @Test func onlyTwoThatAreKnownContradictEachOther() {
        let (one, other) = (ClusterID(1), ClusterID(2))
        #expect(one.contradicts(other) && other.contradicts(one))
        #expect(!one.contradicts(one) && !ClusterID.none.contradicts(.none))
        #expect(!one.contradicts(.none) && !ClusterID.none.contradicts(one))
    }
}
