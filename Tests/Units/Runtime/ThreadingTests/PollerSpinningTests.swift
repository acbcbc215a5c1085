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
    #if os(Linux)
        /// How often this thread has gone to sleep.
        private static var sleepCount: Int {
            var usage = rusage()
            // RUSAGE_THREAD, of which only GNU sources have the name.
            getrusage(1, &usage)
            return usage.ru_nvcsw
        }

        @Test func itDoesNotSleepWhileItSpins() throws {
            let bell = try Wakeup()
            var poller = Poller()
            _ = poller.add(bell)
            func sleepCount(spinning: Duration) throws -> Int {
                let before = Self.sleepCount
                for _ in 0..<10 {
                    let seen = try poller.wait(timeout: .milliseconds(20), spinning: spinning)
                    #expect(seen == 0)
                }
                return Self.sleepCount - before
            }
            let asleep = try sleepCount(spinning: .zero)
            let spinning = try sleepCount(spinning: .seconds(60))
            #expect(asleep >= 10 && spinning < asleep / 2, "\(asleep), \(spinning)")
        }
    #endif

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
