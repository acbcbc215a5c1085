import Testing
import Threading
import ZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite struct PollerSpinningTests {
    /// Processor time of this thread.
    private static var worked: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test func itDoesNotSleepWhileItSpins() throws {
        let bell = try Wakeup()
        var poller = Poller()
        _ = poller.add(bell)
        let before = Self.worked
        let slept = try poller.wait(timeout: .milliseconds(100), spinning: .zero)
        #expect(slept == 0)
        let asleep = Self.worked
        let spun = try poller.wait(timeout: .milliseconds(100), spinning: .milliseconds(90))
        #expect(spun == 0)
        let awake = Self.worked
        #expect(awake - asleep > (asleep - before) * 3, "\(asleep - before), \(awake - asleep)")
    }

    @Test(arguments: [Duration.milliseconds(1), .seconds(60)])
    func whatComesWhileItSpinsOrSleepsIsSeen(spin: Duration) throws {
        let bell = try Wakeup()
        var poller = Poller()
        let index = poller.add(bell)
        let silent = try Wakeup()
        let ringer = try OwnedThread(name: "ringer") {
            // Long enough for the short spin to be over, most of the time; right in any case.
            var pause = Poller()
            _ = pause.add(silent)
            defer { bell.signal() }
            do { _ = try pause.wait(timeout: .milliseconds(20)) } catch { Issue.record(error) }
        }
        let heard = try poller.wait(timeout: nil, spinning: spin)
        #expect(heard == 1)
        let isReady = poller.isReady(index)
        #expect(isReady)
        ringer.join()
    }

    @Test func whatIsThereIsSeenAtOnce() throws {
        let bell = try Wakeup()
        bell.signal()
        var poller = Poller()
        _ = poller.add(bell)
        let seen = try poller.wait(timeout: .zero, spinning: .seconds(60))
        #expect(seen == 1)
        let seenAgain = try poller.wait(timeout: .seconds(60), spinning: .seconds(60))
        #expect(seenAgain == 1)
    }

    @Test func theSpinIsPartOfTheTimeout() throws {
        var poller = Poller()
        _ = poller.add(try Wakeup())
        let began = ContinuousClock.now
        let ended = try poller.wait(timeout: .milliseconds(30), spinning: .seconds(60))
        #expect(ended == 0)
        #expect(ContinuousClock.now - began < .seconds(10))
    }
}
