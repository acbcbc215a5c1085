import CacheModel
import Testing

@Suite struct LogPositionTests {
    private static func position(_ epoch: UInt32, _ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    @Test func onlyTheNextOfTheSameEpochFollowsDirectly() {
        for epoch in 0..<3 as Range<UInt32> {
            for sequence in 0..<5 as Range<UInt64> {
                for otherEpoch in 0..<3 as Range<UInt32> {
                    for other in 0..<5 as Range<UInt64> {
                        let follows = Self.position(otherEpoch, other)
                            .directlyFollows(Self.position(epoch, sequence))
                        #expect(follows == (epoch == otherEpoch && other == sequence + 1))
                    }
                }
            }
        }
    }

    @Test func whatFollowsDirectlyIsNextAndGreater() {
        for sequence in [0, 1, 41, 1 << 48 - 2] as [UInt64] {
            let earlier = Self.position(7, sequence)
            #expect(earlier.next.directlyFollows(earlier))
            #expect(earlier < earlier.next)
            #expect(!earlier.directlyFollows(earlier.next))
            #expect(!earlier.directlyFollows(earlier))
        }
    }

    @Test func nothingFollowsTheLastAndNothingBreaks() {
        let last = LogPosition(epoch: Epoch(7), sequence: .max)
        #expect(!Self.position(7, 0).directlyFollows(last))
        #expect(!Self.position(8, 1).directlyFollows(last))
        #expect(!last.directlyFollows(last))
        #expect(!last.directlyFollows(Self.position(7, .max)))
    }

    @Test func whatIsPrintedIsReadAgain() {
        for epoch in [0, 1, 9, 10, .max] as [UInt32] {
            for sequence in [0, 1, 9, 10, 1 << 48 - 1] as [UInt64] {
                let position = Self.position(epoch, sequence)
                #expect(LogPosition(position.description) == position)
            }
        }
        #expect(Self.position(3, 42).description == "3:42")
    }

    @Test(arguments: [
        ("0:0", 0, 0), ("003:0042", 3, 42), ("4294967295:281474976710655", UInt32.max, 1 << 48 - 1),
    ])
    func goodTextIsRead(text: String, epoch: UInt32, sequence: UInt64) {
        #expect(LogPosition(text) == Self.position(epoch, sequence))
        #expect(LogPosition(Substring(text)) == Self.position(epoch, sequence))
    }

    @Test(arguments: [
        "", ":", "1", "1:", ":1", "1:2:3", "::", "+1:2", "1:+2", "-1:2", "1:-2", " 1:2", "1:2 ",
        "1 :2", "1: 2", "a:2", "1:b", "0x1:2", "1.0:2", "1,2", "4294967296:1",
        "1:281474976710656", "1:18446744073709551616", "٣:1", "1:２", "1:2\n",
    ])
    func otherTextIsNoPosition(text: String) {
        #expect(LogPosition(text) == nil)
    }
}
