import CacheModel
import Testing

@testable import PublisherCore

@Suite struct FollowTableTests {
    private static func waiter(after sequence: UInt64) -> FollowTable.Waiter {
        FollowTable.Waiter(
            after: .at(sequence), limit: 10, deadline: .seconds(60),
            holder: FollowTable.Holder(key: nil))
    }

    @Test func aQuestionThatIsAskedAgainStandsInLineOnce() {
        var book = FollowTable()
        let place = FollowTable.Place(peer: Cluster.peer(1), requestID: 7)
        let other = FollowTable.Place(peer: Cluster.peer(2), requestID: 7)
        for sequence in 1...100 as ClosedRange<UInt64> {
            _ = book.add(place, Self.waiter(after: sequence), seeing: FollowView(nil))
        }
        _ = book.add(other, Self.waiter(after: 1), seeing: FollowView(nil))
        #expect(book.count == 2)
        #expect(book.nextDue() == place)
        #expect(book[place]?.after == .at(100))
        #expect(book.nextDue() == other)
        #expect(book.nextDue() == nil)
        // Who went to the end of the line and asks again is still there once.
        book.delay(place, after: .at(101))
        _ = book.add(place, Self.waiter(after: 5), seeing: FollowView(nil))
        #expect(book.nextDue() == place)
        #expect(book.nextDue() == nil)
    }
}
