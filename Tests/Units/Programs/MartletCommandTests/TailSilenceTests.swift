import CacheModel
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct TailSilenceTests {
    private let heartbeat = InvalidationStream.Event.heartbeat(head: Sample.position(57))

    @Test func silenceIsSaidOnceAndItsEndToo() {
        let start = ContinuousClock.now
        var silence = TailSilence(now: start)
        #expect(silence.passed(now: start + .milliseconds(1_999)) == nil)
        #expect(
            silence.passed(now: start + .seconds(2))
                == "the publisher has been silent for 2s; waiting for it")
        #expect(silence.passed(now: start + .seconds(9)) == nil)
        #expect(
            silence.heard(heartbeat, now: start + .seconds(70))
                == "the publisher is back after 1m10s; its log ends at 1:57")
        #expect(silence.heard(heartbeat, now: start + .seconds(71)) == nil)
        #expect(silence.passed(now: start + .seconds(72)) == nil)
        #expect(silence.passed(now: start + .seconds(73)) != nil)
    }
}
