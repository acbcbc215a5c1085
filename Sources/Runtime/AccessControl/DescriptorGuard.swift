import CacheModel
package import Logging
import Threading
package import ZeroMQ

/// The thread that reserves the last descriptors of a process against connections, so that lists of
/// keys can be read, logs can be written and outgoing connections can be opened, however many
/// clients connect. docs/decisions/0096 gives the reasons.
///
///     listening sockets ── each accepted connection ──▶ guard ── in the reserve ──▶ cut
package final class DescriptorGuard: Sendable {
    private enum Letter: Sendable {
        case watch(AcceptSource, Promise<ZeroMQError?>)
        case stop
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// Starts the thread. It watches nothing yet.
    package init(in context: Context, logger: Logger) throws(AccessControlError) {
        let mailbox: Mailbox<Letter>
        do throws(ZeroMQError) {
            mailbox = try Mailbox()
        } catch {
            throw .other(error)
        }
        self.mailbox = mailbox
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "connections") {
                Loop(context, mailbox, logger).run()
            }
        } catch {
            throw .noThread(error)
        }
    }

    /// Watches a socket that is not bound yet. On the thread of that socket; waits until it is
    /// watched.
    package func watch(_ socket: borrowing Socket) throws(ZeroMQError) {
        let answer = Promise<ZeroMQError?>()
        mailbox.post(.watch(try socket.reportAccepted(), answer))
        if let error = answer.wait() { throw error }
    }

    /// Ends the thread, after the sockets are closed and before their context ends.
    package func stop() {
        mailbox.post(.stop)
        thread.join()
    }

    /// The state of the thread.
    private final class Loop {
        private let context: Context
        private let mailbox: Mailbox<Letter>
        private let logger: Logger
        private var monitors: [AcceptMonitor] = []
        /// Monitors that are no longer read after an error, but stay open.
        private var unheard: [AcceptMonitor] = []
        /// Connections that were cut and not yet logged.
        private var cutCount = 0
        private var nextComplaint = MonotonicClock.now

        init(_ context: Context, _ mailbox: Mailbox<Letter>, _ logger: Logger) {
            self.context = context
            self.mailbox = mailbox
            self.logger = logger
        }

        func run() {
            var isRunning = true
            while isRunning {
                do throws(ZeroMQError) {
                    try watch()
                    isRunning = takeLetters()
                } catch {
                    // No socket is watched from now on; calls of `watch` still return.
                    giveUp(isTerminated: error.isTerminated)
                    guard !error.isTerminated else { continue }
                    logger.error(
                        "connections: the last descriptors are not kept free any more: \(error)")
                }
            }
        }

        /// Stops reading the monitors. They stay open unless their context ends: without a reader
        /// libzmq's thread would block on its events, and accept nothing. They have no high-water
        /// mark, so an event that is never read blocks nothing either; it takes some hundred bytes.
        private func giveUp(isTerminated: Bool) {
            unheard = isTerminated ? [] : unheard + monitors
            monitors = []
        }

        /// Cuts connections in the reserve, until a message comes or a socket is closed.
        private func watch() throws(ZeroMQError) {
            var poller = Poller()
            let bell = poller.add(mailbox.wakeup)
            for monitor in monitors { _ = poller.add(monitor) }
            let count = monitors.count
            while monitors.count == count {
                _ = try poller.wait(timeout: cutCount > 0 ? AccessLimits.complaintInterval : nil)
                if poller.isReady(bell) { return }
                try cut()
                complain()
            }
        }

        private func cut() throws(ZeroMQError) {
            var ended: [ObjectIdentifier] = []
            for monitor in monitors {
                while let report = try monitor.next() {
                    switch report {
                    case .accepted(let connection): cut(connection)
                    case .ended: ended.append(ObjectIdentifier(monitor))
                    }
                }
            }
            if !ended.isEmpty { monitors.removeAll { ended.contains(ObjectIdentifier($0)) } }
        }

        private func cut(_ connection: AcceptedConnection) {
            guard let limit = Descriptors.limits?.soft,
                DescriptorReserve.contains(connection.descriptor, of: limit), connection.cut()
            else { return }
            cutCount += 1
        }

        /// Logs at once, and then at intervals.
        private func complain() {
            let now = MonotonicClock.now
            guard cutCount > 0, now >= nextComplaint else { return }
            nextComplaint = now.advanced(by: AccessLimits.complaintInterval)
            logger.warning(
                """
                connections: closed at once, because the last descriptors are kept for lists of \
                keys, logs and connections to others: raise the hard limit (LimitNOFILE= of \
                systemd, ulimit -Hn) and restart, or bound connections in front of this process
                """,
                metadata: ["count": "\(cutCount)", "limit": "\(Descriptors.limits?.soft ?? 0)"])
            cutCount = 0
        }

        /// - Returns: whether to continue.
        private func takeLetters() -> Bool {
            for letter in mailbox.takeAll() {
                switch letter {
                case .watch(let source, let answer):
                    do throws(ZeroMQError) {
                        monitors.append(try AcceptMonitor(context, of: source))
                        answer.fulfil(nil)
                    } catch {
                        answer.fulfil(error)
                    }
                case .stop: return false
                }
            }
            return true
        }
    }
}
