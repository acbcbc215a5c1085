import CacheInvalidation
import CacheModel
import Testing

@Suite struct SegmentNameTests {
    @Test func aNameSaysWhereItsRecordsBegin() {
        let name = SegmentName(base: .at(41_982))
        #expect(name.description == "0000000001-000000000041982.segment")
        #expect(SegmentName(name.description) == name)
    }

    @Test func namesSortAsPositionsDo() {
        let places: [LogPosition] = [
            .at(0), .at(9), .at(10), .at(1 << 48 - 1), .at(0, epoch: 2), .at(3, epoch: .max),
        ]
        let names = places.map { SegmentName(base: $0) }
        #expect(names.map(\.description).sorted() == names.map(\.description))
        #expect(names.shuffled().sorted() == names)
        for name in names { #expect(SegmentName(name.description) == name) }
    }

    @Test(arguments: [
        "", ".segment", "1-2.segment", "0000000001-000000000041982", "stamp", "lock",
        "0000000001-000000000041982.segment.new", "0000000001_000000000041982.segment",
        "9999999999-000000000000000.segment", "0000000001-999999999999999.segment",
        "+000000001-000000000041982.segment", "0000000001-000000000041982.segment ",
    ])
    func malformedFileNamesAreNotSegmentNames(text: String) {
        #expect(SegmentName(text) == nil)
    }
}
