import ByteCoding
package import CacheAccess
import CacheModel
import EssentialFoundation
package import Logging
package import Threading
package import ZeroMQ

/// The thread that admits clients: libzmq asks it at each handshake. It also watches the list's
/// file.
///
///      list's file ──▶ ┌────────────┐ ◀── libzmq: key, domain?
///      calendar ─────▶ │ gatekeeper │ ──▶ number, or no
///                      └─────┬──────┘
///                            ▼ message to every follower: the entries in force
///                    shards, publisher
///
/// Started before any endpoint is bound. A list that becomes invalid changes nothing. An entry past
/// its date is rejected within a quarter of a second, and an entry that was removed from the file
/// shortly after that.
package final class Gatekeeper: Sendable {
    /// Receives the entries in force, on the gatekeeper's thread.
    package typealias Follower = @Sendable (AccessTable) -> Void

    private enum Letter: Sendable {
        case follow(Follower)
        /// A client with this key is this process itself, which tests that the key is refused.
        case test(PublicKey?)
        /// Bans this key from the live channel for a while.
        case ban(PrincipalNumber)
        /// Confirm that the thread is running.
        case pulse(Pulse)
        case stop
    }

    private struct Setup: Sendable {
        let context: Context
        let mailbox: Mailbox<Letter>
        let file: ListFile
        let list: AccessList
        let logger: Logger
        let audit: AuditLog?
        let failed: @Sendable (ZeroMQError) -> Void
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// Reads the list and starts the thread, which answers libzmq from when this returns.
    ///
    /// - Parameters:
    ///   - audit: records refused clients and changes of the list.
    ///   - failed: called if the thread ends without a call of ``stop()``. No client is admitted
    ///     from then on, and the process should report that and end.
    package init(
        in context: Context, listFile: String, logger: Logger, audit: AuditLog? = nil,
        failed: @escaping @Sendable (ZeroMQError) -> Void
    ) throws(AccessControlError) {
        var file = ListFile(listFile)
        let list = try file.read() ?? .empty
        let ready = Promise<ZeroMQError?>()
        do throws(ZeroMQError) {
            mailbox = try Mailbox()
        } catch {
            throw .other(error)
        }
        let setup = Setup(
            context: context, mailbox: mailbox, file: file, list: list, logger: logger,
            audit: audit, failed: failed)
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "gatekeeper") { Self.run(setup, ready) }
        } catch {
            throw .noThread(error)
        }
        if let error = ready.wait() {
            thread.join()
            throw .other(error)
        }
        logger.info(
            "the list of keys is read",
            metadata: ["file": "\(listFile)", "keys": "\(list.entries.count)"])
    }

    /// Passes the entries in force to `follower`, now and whenever they change.
    package func follow(_ follower: @escaping Follower) {
        mailbox.post(.follow(follower))
    }

    /// Tests a process's own endpoints: see ``AdmissionTest``.
    package func test(
        _ doors: [AdmissionTest.Door], in context: Context
    ) throws(AccessControlError) {
        let stranger: CurveKeyPair
        do throws(ZeroMQError) { stranger = try .generate() } catch { throw .other(error) }
        mailbox.post(.test(stranger.publicKey))
        defer { mailbox.post(.test(nil)) }
        try AdmissionTest.pass(doors, as: stranger, in: context)
    }

    /// Asks the thread to confirm that it is running.
    package func ask(_ pulse: Pulse) {
        mailbox.post(.pulse(pulse))
    }

    /// Bans a key from the live channel for ``AccessLimits/banTime``. Present subscribers are not
    /// cut off.
    package func ban(_ number: PrincipalNumber) {
        mailbox.post(.ban(number))
    }

    /// Ends the thread. No client is admitted from then on.
    package func stop() {
        mailbox.post(.stop)
        thread.join()
    }

    private static func run(_ setup: Setup, _ ready: Promise<ZeroMQError?>) {
        do throws(ZeroMQError) {
            var loop = try Loop(setup)
            ready.fulfil(nil)
            try loop.run()
        } catch {
            ready.fulfil(error)
            guard !error.isTerminated else { return }
            setup.failed(error)
        }
    }

    /// The state of the thread.
    private struct Loop: ~Copyable {
        private let setup: Setup
        private var handler: ZAPHandler
        private var state: AccessState
        private var file: ListFile
        private var followers: [Follower] = []
        private var told = AccessTable.empty
        /// The key with which the process tests its own endpoints, during the test.
        private var tester: PublicKey?
        /// How many refused clients were recorded.
        private var strangers = DenialBudget()

        init(_ setup: Setup) throws(ZeroMQError) {
            self.setup = setup
            handler = try ZAPHandler(setup.context)
            state = AccessState(setup.list)
            file = setup.file
            told = state.table(at: Self.calendar)
        }

        private static var calendar: Int { Int(Date().timeIntervalSince1970) }

        mutating func run() throws(ZeroMQError) {
            var poller = Poller()
            _ = poller.add(handler.socket, for: .readable)
            let bell = poller.add(setup.mailbox.wakeup)
            var nextLook = MonotonicClock.now.advanced(by: AccessLimits.lookInterval)
            while true {
                _ = try poller.wait(timeout: nextLook.elapsed(since: MonotonicClock.now))
                if poller.isReady(bell), handle() { return }
                try answer()
                let now = MonotonicClock.now
                guard now >= nextLook else { continue }
                look()
                nextLook = now.advanced(
                    by: file.isUnsettled
                        ? AccessLimits.settleInterval : AccessLimits.lookInterval)
            }
        }

        /// - Returns: whether to end.
        private mutating func handle() -> Bool {
            for letter in setup.mailbox.takeAll() {
                switch letter {
                case .follow(let follower):
                    followers.append(follower)
                    follower(told)
                case .test(let key): tester = key
                case .ban(let number): state.ban(number, at: Self.calendar)
                case .pulse(let pulse): pulse.beat()
                case .stop: return true
                }
            }
            return false
        }

        private mutating func answer() throws(ZeroMQError) {
            let now = Self.calendar
            var refused: [(ZAPRequest, String)] = []
            let state = state
            try handler.answerWaiting { request in
                let (verdict, refusal) = state.decide(request, at: now)
                if let refusal { refused.append((request, refusal)) }
                return verdict
            }
            for (request, refusal) in refused {
                let isOurs = tester != nil && request.key == tester
                if !isOurs, setup.audit != nil { note(request, refusal) }
                guard self.state.mayComplain(now: MonotonicClock.now) else { continue }
                setup.logger.log(
                    level: isOurs ? .debug : .notice, "a handshake was refused",
                    metadata: [
                        "reason": "\(refusal)", "address": "\(request.address)",
                        "key": "\(request.key?.fingerprint ?? "none")",
                        "door": "\(request.domain)",
                    ])
            }
        }

        /// Records a refused client. All clients that are in no list count as one.
        private mutating func note(_ request: ZAPRequest, _ refusal: String) {
            let entry = request.key.flatMap { state.list.entry(of: $0) }
            var party = AuditParty(entry, address: request.address)
            party.key = request.key
            let now = MonotonicClock.now
            noteLeftOut(now: now)
            guard strangers.mayNote(party, now: now) else { return }
            setup.audit?.note(
                AuditEvent(.stranger(door: request.domain, reason: refusal), by: party))
        }

        private mutating func noteLeftOut(now: Instant) {
            for event in strangers.takeLeftOut(now: now) { setup.audit?.note(event) }
        }

        private mutating func look() {
            noteLeftOut(now: MonotonicClock.now)
            do throws(AccessControlError) {
                if let list = try file.read() {
                    setup.audit?.note(AuditEvent(.list(.init(from: state.list, to: list))))
                    state.replace(list)
                    setup.logger.notice(
                        "the list of keys has changed and is taken over",
                        metadata: ["keys": "\(list.entries.count)"])
                } else if file.isWellAgain() {
                    setup.logger.notice("the list of keys can be read again, and is the same")
                }
            } catch {
                if file.isNews(error) {
                    setup.logger.error("the last list of keys stays in force: \(error)")
                }
            }
            let table = state.table(at: Self.calendar)
            guard table != told else { return }
            told = table
            for follower in followers { follower(table) }
        }
    }
}
