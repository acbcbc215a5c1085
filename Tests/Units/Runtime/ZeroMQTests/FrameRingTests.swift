import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct FrameRingTests {
    @Test func framesStayValidForTheTurnAndAPlaceIsUsedAgain() throws {
        let context = try Context()
        let endpoint = try Endpoint("inproc://ring")
        let push = try Socket(context, .push)
        let pull = try Socket(context, .pull)
        try push.connect(try pull.bind(endpoint))
        // Short frames lie inside libzmq's struct, long ones outside it.
        for number: UInt8 in 0..<9 {
            try push.deliver([number], [UInt8](repeating: number, count: 500))
        }
        var ring = FrameRing(capacity: 16)
        for place in 0..<16 {
            let received = try ring.receive(at: place, from: pull)
            #expect(received)
        }
        for place in 0..<16 {
            let (bytes, hasMore) = (Array(ring.bytes(at: place)), ring.hasMore(at: place))
            let number = UInt8(place / 2)
            #expect(bytes == [UInt8](repeating: number, count: place % 2 == 0 ? 1 : 500))
            #expect(hasMore == (place % 2 == 0))
        }
        let neighbour = ring.bytes(at: 1)
        let again = try ring.receive(at: 0, from: pull)
        let (first, second) = (Array(ring.bytes(at: 0)), Array(neighbour))
        #expect(again && first == [8])
        #expect(second == [UInt8](repeating: 0, count: 500))
        _ = try ring.receive(at: 2, from: pull)
        let nothing = try ring.receive(at: 1, from: pull)
        let rest = ring.bytes(at: 1).count
        #expect(!nothing && rest == 0, "a place that received nothing is empty")
        let capacity = ring.capacity
        #expect(capacity == 16)
    }

    @Test func aPlaceOutsideTheRingIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = FrameRing(capacity: 4).bytes(at: 4) }
        await #expect(processExitsWith: .failure) { _ = FrameRing(capacity: 4).bytes(at: -1) }
        await #expect(processExitsWith: .failure) { _ = FrameRing(capacity: 0) }
    }
}
