import Foundation
import Testing
import TestSupport
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct PollerTests {
    @Test func anotherThreadWakesThePollerWithoutTouchingItsSockets() throws {
        let context = try Context()
        let socket = try Socket(context, .pull)
        try socket.bind(try Endpoint("tcp://127.0.0.1:0"))
        let wakeup = try Wakeup()
        var poller = Poller()
        let socketIndex = poller.add(socket, for: .readable)
        let bell = poller.add(wakeup)
        let ringer = OwnerThread {
            for _ in 0..<1_000 { wakeup.signal() }
        }
        let readyCount = try poller.wait(timeout: patience)
        let (rang, spoke) = (poller.isReady(bell), poller.isReady(socketIndex))
        #expect(readyCount == 1 && rang && !spoke)
        #expect(ringer.join() != nil)
        wakeup.drain()
        let afterwards = try poller.wait(timeout: .zero)
        #expect(afterwards == 0, "any number of rings are silenced by one drain")
        let stillRings = poller.isReady(bell)
        #expect(!stillRings)
    }

    @Test func aSocketIsReadyForWhatItIsWatchedFor() throws {
        let context = try Context()
        let left = try Socket(context, .pair)
        let right = try Socket(context, .pair)
        try left.connect(try right.bind(try Endpoint("inproc://watched")))
        var poller = Poller()
        let index = poller.add(left, for: [.readable, .writable])
        _ = try poller.wait(timeout: patience)
        let first = poller.readiness(of: index)
        #expect(first == .writable)
        try right.deliver([1])
        poller.watch(index, for: .readable)
        _ = try poller.wait(timeout: patience)
        let second = poller.readiness(of: index)
        #expect(second == .readable)
        poller.watch(index, for: [])
        let readyCount = try poller.wait(timeout: .zero)
        #expect(readyCount == 0)
    }

    @Test func aTimeoutIsWaitedFor() throws {
        let wakeup = try Wakeup()
        var poller = Poller()
        _ = poller.add(wakeup)
        let start = ContinuousClock.now
        let readyCount = try poller.wait(timeout: .milliseconds(20))
        #expect(readyCount == 0)
        #expect(ContinuousClock.now - start >= .milliseconds(19))
    }

    /// Who sleeps until a deadline would look again and again in its last millisecond.
    @Test func aPartOfAMillisecondIsWaitedForToo() throws {
        let wakeup = try Wakeup()
        var poller = Poller()
        _ = poller.add(wakeup)
        for timeout in [Duration.microseconds(300), .microseconds(1_900)] {
            let start = ContinuousClock.now
            _ = try poller.wait(timeout: timeout)
            #expect(ContinuousClock.now - start >= timeout)
        }
    }

    @Test func aSignalEndsAWaitWithNothingReady() throws {
        signal(SIGUSR2) { _ in }
        let waiter = Waiter()
        let thread = OwnerThread { () -> Bool? in
            guard let wakeup = try? Wakeup() else { return nil }
            var poller = Poller()
            let bell = poller.add(wakeup)
            // Something is ready once, so that stale readiness would show.
            wakeup.signal()
            guard (try? poller.wait(timeout: patience)) == 1 else { return nil }
            wakeup.drain()
            waiter.identify()
            defer { waiter.leave() }
            // A test's thread may have been started with every signal blocked.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return (try? poller.wait(timeout: nil)) == 0 && !poller.isReady(bell)
        }
        let deadline = ContinuousClock.now + patience
        // It may not wait yet, so it is asked until it has ended.
        while !thread.hasEnded, ContinuousClock.now < deadline { waiter.interrupt() }
        #expect(thread.join() == .some(true))
    }

    @Test func waitingForNothingIsRefused() async {
        await #expect(processExitsWith: .failure) {
            var poller = Poller()
            _ = try poller.wait(timeout: .zero)
        }
    }
}

/// A thread that can be interrupted by a signal, for as long as it has not ended.
private final class Waiter: @unchecked Sendable {  // `thread` is guarded by `lock`.
    private let lock = NSLock()
    private var thread: pthread_t?

    func identify() { lock.withLock { thread = pthread_self() } }

    /// A thread that has ended must not be signalled.
    func leave() { lock.withLock { thread = nil } }

    func interrupt() {
        lock.withLock { if let thread { _ = pthread_kill(thread, SIGUSR2) } }
    }
}
