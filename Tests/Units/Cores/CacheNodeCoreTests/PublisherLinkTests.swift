import CacheModel
import Testing

@testable import CacheNodeCore

@Suite struct PublisherLinkTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 1_000_000_000).advanced(by: .milliseconds(milliseconds))
    }

    private static func joined(pingAt: Instant? = nil) -> PublisherLink {
        var link = PublisherLink(seed: 1)
        link.start(now: at(0))
        link.greet(requestID: 7, now: at(0))
        _ = link.welcomed(pingAt: pingAt, now: at(0))
        return link
    }

    @Test func anIdleOrStoppedLinkHasNoDeadline() {
        var link = PublisherLink(seed: 1)
        #expect(link.nextDeadline == nil)
        link.start(now: Self.at(0))
        #expect(link.state == .listening(until: Self.at(500)))
        #expect(link.nextDeadline == Self.at(500))
        link.stop()
        #expect(link.state == .stopped && link.nextDeadline == nil)
    }

    @Test func onlyAGreetingLinkIsWelcomed() {
        var link = PublisherLink(seed: 1)
        var isAwaited = [link.welcomed(pingAt: nil, now: Self.at(0))]
        link.start(now: Self.at(0))
        isAwaited.append(link.welcomed(pingAt: nil, now: Self.at(0)))
        link.greet(requestID: 7, now: Self.at(1))
        isAwaited.append(link.welcomed(pingAt: Self.at(1), now: Self.at(1)))
        #expect(link.state == .joined(receivedAt: Self.at(1), pingAt: Self.at(1)))
        isAwaited.append(link.welcomed(pingAt: nil, now: Self.at(2)))
        link.stop()
        isAwaited.append(link.welcomed(pingAt: nil, now: Self.at(3)))
        #expect(isAwaited == [false, false, true, false, false])
    }

    @Test func everyFourthHelloWithoutAnAnswerNeedsANewConnection() throws {
        var link = PublisherLink(seed: 1)
        link.greet(requestID: 7, now: Self.at(0))
        var needs: [Bool] = []
        for _ in 0..<9 {
            let now = try #require(link.nextDeadline)
            while let hello = link.nextHello(now: now) {
                #expect(hello.requestID == 7)
                needs.append(hello.needsConnection)
            }
        }
        #expect(needs.count == 9, "one each time")
        #expect(needs.enumerated().filter(\.element).map(\.offset) == [4, 8])
        link.greet(requestID: 8, now: Self.at(0))
        let first = link.nextHello(now: Self.at(0))
        #expect(first?.needsConnection == false, "it begins anew")
    }

    @Test func aPingIsTakenOnceAndTheNextIsDueAThirdOfTheLeaseLater() {
        var link = Self.joined(pingAt: Self.at(5))
        var isDue = [4, 5, 5].map { link.takePing(now: Self.at($0)) }
        #expect(isDue == [false, true, false])
        #expect(link.nextDeadline == Self.at(1_005))
        link.schedulePing(at: nil)
        isDue = [link.takePing(now: Self.at(9_000))]
        link.greet(requestID: 8, now: Self.at(10))
        link.schedulePing(at: Self.at(10))
        isDue.append(link.takePing(now: Self.at(10)))
        #expect(isDue == [false, false], "a PING needs a position and a WELCOME")
    }

    @Test func oneOfSeveralPublishersIsPingedSixTimesInALease() {
        let publishers = ["a", "b"].map { PublisherAddress(control: $0) }
        var link = PublisherLink(seed: 1, publishers: publishers)
        link.greet(requestID: 7, now: Self.at(0))
        _ = link.welcomed(pingAt: Self.at(5), now: Self.at(0))
        let isDue = link.takePing(now: Self.at(5))
        #expect(isDue)
        #expect(link.nextDeadline == Self.at(505))
    }

    @Test func silenceCountsFromTheLastMessageAndOnlyAnAnswerCountsAsOne() {
        var link = Self.joined()
        link.adopt(leaseMilliseconds: 1)
        #expect(link.leaseLength == NodeControlLimits.leaseMin)
        link.adopt(leaseMilliseconds: 0)
        #expect(link.leaseLength == NodeControlLimits.leaseMin, "0 is no lease")
        link.received(isRefusal: true, now: Self.at(30))
        #expect(link.silence(now: Self.at(50)) == .milliseconds(20) && link.answeredAt == nil)
        #expect(link.nextDeadline == Self.at(130))
        link.received(isRefusal: false, now: Self.at(40))
        #expect(link.answeredAt == Self.at(40))
        link.greet(requestID: 8, now: Self.at(200))
        #expect(link.silence(now: Self.at(300)) == nil)
    }
}
