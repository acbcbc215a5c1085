package import CacheInvalidation
import CacheModel
import Threading
import ZeroMQ

/// The log's thread: it writes and synchronizes, so that nobody else waits for the disk.
package final class LogKeeper: Sendable {
    enum Letter: Sendable {
        case begin(LogWriter.Life, done: Promise<Void>)
        case append(LogTicket, [SealedRecord])
        case lease(UInt32)
        case damage(LogDamage)
        case save(FloorSnapshot)
        case keep([UInt8])
        case keepNodes([UInt8])
        case keepCluster([UInt8])
        case close(FloorSnapshot?)
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// - Parameters:
    ///   - writer: made on the log's thread.
    ///   - recall: finds out what the records before the start have touched.
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

    /// Begins a life of the log, and returns once it is on the disk, or could not be put there.
    ///
    /// A node that heard of an epoch that is not there would be at the same place as one that is
    /// opened after a crash and bears the same number.
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

    /// The publisher's thread has found damage: it is told, and files leave.
    func note(_ damage: LogDamage) { mailbox.post(.damage(damage)) }

    /// Saves what the log has touched beside it, in its own time. A log that may lose its end with
    /// the machine does not: nobody could tell afterwards whether they are those of its records.
    package func save(_ floors: FloorSnapshot) { mailbox.post(.save(floors)) }

    /// Keeps the pacings beside the log, in place of those before, durably. What became of it is
    /// told as ``LogNews/kept(_:)``.
    package func keep(pacings bytes: [UInt8]) { mailbox.post(.keep(bytes)) }

    /// Keeps whose life of each node was the last beside the log, in place of what was kept,
    /// durably; where that fails, removes it. What became of it is told as
    /// ``LogNews/nodesKept(_:isGone:)``.
    package func keep(nodes bytes: [UInt8]) { mailbox.post(.keepNodes(bytes)) }

    /// Keeps the cluster's identity beside the log, durably. What became of it is told as
    /// ``LogNews/clusterKept(_:)``.
    package func keep(cluster bytes: [UInt8]) { mailbox.post(.keepCluster(bytes)) }

    /// Ends the log in order: what was handed over is written and told, then the stamp says that
    /// nothing is missing. Returns when that is done; calling it again does nothing.
    ///
    /// - Parameter floors: what the log has touched, to be saved; `nil` leaves what was saved.
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
                // With no socket of libzmq's to wait for it ends the process itself. A thread that
                // went away would leave whoever waits for the log waiting for ever.
                preconditionFailure("the log's thread cannot wait: \(error)")
            }
            for letter in mailbox.takeAll() {
                guard log.obey(letter) else { return }
            }
            log.tick(now: MonotonicClock.now)
        }
    }
}
