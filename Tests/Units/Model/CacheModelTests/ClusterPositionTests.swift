import CacheModel
import Testing

@Suite struct ClusterPositionTests {
    private let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(42))

    @Test func itIsReadBackWithItsClusterAndWithout() {
        let ours = ClusterPosition(position, of: ClusterID(0xC0FFEE))
        #expect(ours.description == "1:42@0000000000c0ffee")
        #expect(ClusterPosition(ours.description) == ours)
        #expect(ClusterPosition("1:42") == ClusterPosition(position))
        #expect(ClusterPosition(position).description == "1:42")
        #expect(ClusterPosition("1:42@0000000000000000") == ClusterPosition(position))
    }

    @Test(arguments: [
        "", "1", "1:42@", "1:42@c0ffee", "1:42@00000000000000AB", "1:42@00000000000000ab@",
        "@00000000000000ab", "1:42 @00000000000000ab",
    ])
    func anythingElseIsNotRead(text: String) {
        #expect(ClusterPosition(text) == nil)
    }
}
