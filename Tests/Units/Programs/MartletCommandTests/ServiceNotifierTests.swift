import Foundation
import Synchronization
import Testing
import TestSupport

@testable import martlet

/// With the socket of a real manager's kind.
@Suite struct ServiceNotifierTests {
    private final class Complaints: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Tells a story to a manager that waits `watchdog` microseconds for a sign of life.
    private static func managed(
        watchdog: Int? = nil, _ story: (DatagramSocket, ServiceNotifier) throws -> Void
    ) throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/notify-\(UUID().uuidString)"
        let socket = try DatagramSocket(at: path)
        defer { socket.remove() }
        var environment = ["NOTIFY_SOCKET": path]
        if let watchdog { environment["WATCHDOG_USEC"] = "\(watchdog)" }
        let complaints = Complaints()
        let notifier = try #require(
            ServiceNotifier(environment: environment, processID: 7, complain: complaints.note))
        try story(socket, notifier)
        #expect(complaints.all == [])
    }

    @Test func theManagerHearsOfBeginningLifeAndEnd() throws {
        try Self.managed(watchdog: 30_000) { socket, notifier in
            notifier.say(.ready)
            notifier.keepWatch { $0() }
            #expect(socket.received() == "READY=1")
            for _ in 0..<3 { #expect(socket.received() == "WATCHDOG=1") }
            notifier.stop()
            var last = socket.received()
            while last == "WATCHDOG=1" { last = socket.received() }
            #expect(last == "STOPPING=1")
        }
    }

    @Test func aManagerThatDoesNotWatchHearsNoSignOfLife() throws {
        try Self.managed { socket, notifier in
            notifier.keepWatch { _ in Issue.record("nobody asked for it") }
            notifier.stop()
            #expect(socket.received() == "STOPPING=1")
        }
    }

    /// The last answer that a role owes.
    private final class Owed: Sendable {
        private let answer = Mutex<(@Sendable () -> Void)?>(nil)
        private let count = Atomic<Int>(0)

        var asked: Int { count.load(ordering: .sequentiallyConsistent) }

        func ask(_ answer: @escaping @Sendable () -> Void) {
            self.answer.withLock { $0 = answer }
            count.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }

        func give() { self.answer.withLock { $0 }?() }
    }

    @Test func aRoleThatDoesNotAnswerIsNotSaidToBeWell() throws {
        try Self.managed(watchdog: 30_000) { socket, notifier in
            let owed = Owed()
            notifier.keepWatch(owed.ask)
            // Ten times as long as a role that is well is silent.
            #expect(socket.received(within: .milliseconds(100)) == nil)
            // It is asked once, and not again before it has answered.
            #expect(owed.asked == 1)
            owed.give()
            #expect(socket.received() == "WATCHDOG=1")
            // Asked again, it does not answer before the end, and is not well at the end.
            while owed.asked == 1 { sched_yield() }
            notifier.stop()
            owed.give()
            #expect(socket.received() == "STOPPING=1")
            #expect(socket.received(within: .milliseconds(50)) == nil)
        }
    }

    @Test func anAbsentServiceManagerIsReportedWithoutFailing() throws {
        let complaints = Complaints()
        let notifier = try #require(
            ServiceNotifier(
                environment: ["NOTIFY_SOCKET": "/nowhere/at/all"], processID: 7,
                complain: complaints.note))
        notifier.say(.ready)
        #expect(complaints.all.count == 1)
        #expect(complaints.all.first?.contains("was not told READY=1") == true)
    }

    @Test func withoutAManagerNothingIsSaid() {
        for environment in [[:], ["NOTIFY_SOCKET": ""]] {
            let notifier = ServiceNotifier(environment: environment, processID: 7) {
                Issue.record("\($0)")
            }
            #expect(notifier == nil)
        }
    }

    @Test(arguments: [
        "vsock:2:1234", "relative", "@", "/" + String(repeating: "x", count: 107),
    ])
    func aPlaceThatIsNoneIsComplainedOf(place: String) {
        let complaints = Complaints()
        let notifier = ServiceNotifier(
            environment: ["NOTIFY_SOCKET": place], processID: 7, complain: complaints.note)
        #expect(notifier == nil)
        #expect(complaints.all.count == 1)
    }

    @Test func patienceIsThisProcesssAndANumber() {
        func patience(_ environment: [String: String]) -> Duration? {
            ServiceNotifier.patience(environment, processID: 7)
        }
        #expect(patience(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(patience(["WATCHDOG_USEC": "5", "WATCHDOG_PID": "7"]) == .microseconds(5))
        #expect(patience(["WATCHDOG_USEC": "5", "WATCHDOG_PID": "8"]) == nil)
        for text in ["", "0", "-1", "many"] { #expect(patience(["WATCHDOG_USEC": text]) == nil) }
        #expect(patience([:]) == nil)
    }
}
