package import CacheInvalidation
import CacheModel
import Threading
import ZeroMQ

/// The log's thread: it writes and fsyncs, so that no other thread waits for the disk.
package final class LogKeeper: Sendable {
    enum Letter: Sendable {
        case begin(LogWriter.Life, done: Promise<Void>)
        case append(LogTicket, [SealedRecord])
        case lease(UInt32)
        case damage(LogDamage)
        case save(FloorSnapshot)
        case keep([UInt8], LogState)
        case close(FloorSnapshot?)
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// - Parameters:
    ///   - writer: made on the log's thread.
    ///   - recall: rebuilds the floors of the records before the start.
    ///   - tell: called on the log's thread.
    init(
        writer: @escaping @Sendable () -> LogWriter, recall: FloorsRecall?,
        tell: @escaping @Sendable (LogNews) -> Void
    ) throws(LogFileError) {
        let mailbox: Mailbox<Letter>
        do throws(ZeroMQError) {
            mailbox = try Mailbox()
        } catch {
            throw .noThread("\(error)")
        }
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "log") {
                var log = LogThread(
                    writer(), recall: recall, now: MonotonicClock.now, tell: tell)
                Self.serve(&log, mailbox)
            }
        } catch {
            throw .noThread("\(error)")
        }
        self.mailbox = mailbox
    }

    /// Begins an epoch of the log, and returns once it is on the disk, or could not be put there.
    ///
    /// A node must not hear of an epoch that is not there: after a crash another epoch may be
    /// opened under the same number, and the node would be at the same position in both.
    func begin(_ log: LogID, at base: LogMark) {
        let done = Promise<Void>()
        mailbox.post(.begin(.init(log: log, base: base), done: done))
        done.wait()
    }

    func append(_ ticket: LogTicket, _ batch: [SealedRecord]) {
        mailbox.post(.append(ticket, batch))
    }

    /// Leases of this length are wanted from now on. They may be granted once
    /// ``FileLog/leaseKept`` is as long.
    package func note(leaseMilliseconds: UInt32) { mailbox.post(.lease(leaseMilliseconds)) }

    /// The publisher's thread has found damage: it is reported, and the files are removed.
    func note(_ damage: LogDamage) { mailbox.post(.damage(damage)) }

    /// Saves the floors beside the log, in its own time. A log that may lose its end with the
    /// machine does not: it would be unknown afterwards whether they are the floors of its records.
    package func save(_ floors: FloorSnapshot) { mailbox.post(.save(floors)) }

    /// Stores these bytes beside the log, in place of those before, durably; where the runs of
    /// nodes cannot be stored, removes those before. The outcome is reported as
    /// ``LogNews/kept(_:_:isGone:)``.
    package func keep(_ bytes: [UInt8], as state: LogState) { mailbox.post(.keep(bytes, state)) }

    /// Closes the log in order: everything that was handed over is written and reported, then the
    /// stamp says that nothing is missing. Returns when that is done; another call does nothing.
    ///
    /// - Parameter floors: to be saved; `nil` leaves the saved ones.
    package func close(saving floors: FloorSnapshot? = nil) {
        mailbox.post(.close(floors))
        thread.join()
    }

    private static func serve(_ log: inout LogThread, _ mailbox: Mailbox<Letter>) {
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        while true {
            do throws(ZeroMQError) {
                _ = try poller.wait(timeout: log.patience(at: MonotonicClock.now))
            } catch {
                // Without a socket among the items libzmq ends the process itself. If this thread
                // ended, every thread that waits for the log would wait for ever.
                preconditionFailure("the log's thread cannot wait: \(error)")
            }
            for letter in mailbox.takeAll() {
                guard log.handle(letter) else { return }
            }
            log.tick(now: MonotonicClock.now)
        }
    }
}
