import CacheModel
import Testing

@testable import CacheSimulation

/// A link keeps the promises of one ZeroMQ connection.
@Suite struct SimulatedNetworkTests {
    private let network = SimulatedNetwork(Timeline(seed: 7, guards: .all, telling: nil))

    private func send(_ numbers: Range<UInt8>, over link: Int) {
        for number in numbers { network.send(.live([number]), over: link, run: 0) }
    }

    /// What arrives from now on, until nothing is in flight.
    private func arrivals() -> [UInt8] {
        var arrived: [UInt8] = []
        while case .arrives(let parcel)? = network.timeline.next() {
            guard network.accept(parcel) else { continue }
            switch parcel.cargo {
            case .live(let frame), .toPublisher(_, let frame): arrived += frame
            default: Issue.record("nothing else was sent")
            }
        }
        return arrived
    }

    @Test func messagesOfOneConnectionNeverOvertakeEachOther() {
        let link = network.makeLink()
        send(0..<100, over: link)
        #expect(arrivals() == Array(0..<100))
    }

    @Test func aLinkDropsTheNewestMessagesBeyondItsHighWaterMark() {
        let link = network.makeLink(highWaterMark: 3)
        send(0..<5, over: link)
        #expect(arrivals() == [0, 1, 2])
        #expect(network.timeline.tally[.overflows] == 2)
    }

    @Test func heldMessagesArriveInOrderAfterTheLastHoldEnds() {
        let link = network.makeLink()
        network.hold(link)
        network.hold(link)
        send(0..<3, over: link)
        network.release(link)
        #expect(arrivals() == [])
        network.release(link)
        send(3..<4, over: link)
        #expect(arrivals() == [0, 1, 2, 3])
    }

    @Test func aCutLinkLosesMessagesUntilTheLastCutEnds() {
        let link = network.makeLink()
        network.cut(link)
        network.cut(link)
        network.mend(link)
        send(0..<2, over: link)
        network.mend(link)
        send(2..<3, over: link)
        #expect(arrivals() == [2])
    }

    @Test func aNewConnectionLosesMessagesToANodeAndNotThoseToThePublisher() {
        let link = network.makeLink()
        send(0..<2, over: link)
        network.send(.toPublisher(peer: 1, [9]), over: link, run: 0)
        network.reconnect(link)
        send(2..<3, over: link)
        #expect(Set(arrivals()) == [2, 9])
    }
}
