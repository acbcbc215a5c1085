import CacheInvalidation
import CacheModel
import Threading
import ZeroMQ

/// The log's thread: it writes and synchronizes, so that nobody else waits for the disk.
package final class LogKeeper: Sendable {
    private enum Letter: Sendable {
        case begin(LogWriter.Life, done: Promise<Void>)
        case append(LogTicket, [SealedRecord])
        case lease(UInt32)
        case damage(LogDamage)
        case close
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// - Parameters:
    ///   - active: the segment to go on with.
    ///   - tell: called on the log's thread.
    init(
        _ directory: LogDirectory, _ options: LogFilesOptions, _ shelf: Guarded<LogShelf>,
        active: SegmentFile?, tell: @escaping @Sendable (LogNews) -> Void
    ) throws(LogFileError) {
        let mailbox: Mailbox<Letter>
        do throws(ZeroMQError) {
            mailbox = try Mailbox()
        } catch {
            throw .noThread("\(error)")
        }
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "log") {
                var writer = LogWriter(directory, options, shelf, active: active)
                Self.serve(&writer, mailbox, tell)
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

    /// Leases of this length may be granted from now on. Durable before the next append ends.
    package func note(leaseMilliseconds: UInt32) { mailbox.post(.lease(leaseMilliseconds)) }

    /// The publisher's thread has found damage: it is told, and files leave.
    func note(_ damage: LogDamage) { mailbox.post(.damage(damage)) }

    /// Ends the log in order: what was handed over is written and told, then the stamp says that
    /// nothing is missing. Returns when that is done; calling it again does nothing.
    package func close() {
        mailbox.post(.close)
        thread.join()
    }

    private static func serve(
        _ writer: inout LogWriter, _ mailbox: Mailbox<Letter>, _ tell: (LogNews) -> Void
    ) {
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        report(tell) { () throws(LogFileError) in try writer.markOpen() }
        var verifier = LogVerifier(
            writer.shelf, faults: writer.options.faults, now: MonotonicClock.now)
        while true {
            do throws(ZeroMQError) {
                let now = MonotonicClock.now
                let patience = [writer.patience(at: now), verifier.patience(at: now)]
                _ = try poller.wait(timeout: patience.compactMap { $0 }.min())
            } catch {
                tell(.trouble("the log's thread cannot wait: \(error)"))
                return
            }
            for letter in mailbox.takeAll() {
                guard obey(letter, &writer, tell) else { return }
            }
            if let damage = verifier.tick(now: MonotonicClock.now) { tell(.damaged(damage)) }
            report(tell) { () throws(LogFileError) in try writer.tick(now: MonotonicClock.now) }
        }
    }

    /// - Returns: whether the thread goes on.
    private static func obey(
        _ letter: Letter, _ writer: inout LogWriter, _ tell: (LogNews) -> Void
    ) -> Bool {
        switch letter {
        case .begin(let life, let done):
            report(tell) { () throws(LogFileError) in try writer.begin(life) }
            done.fulfil(())
        case .append(let ticket, let batch):
            do throws(LogFileError) {
                try writer.append(batch)
                tell(.ended(LogOutcome(ticket: ticket)))
            } catch {
                tell(.ended(LogOutcome(ticket: ticket, refusal: .storage("\(error)"))))
            }
        case .lease(let lease):
            report(tell) { () throws(LogFileError) in try writer.note(leaseMilliseconds: lease) }
        case .damage(let damage): tell(.damaged(damage))
        case .close:
            report(tell) { () throws(LogFileError) in try writer.close() }
            // The thread may outlive whoever joined it by a moment.
            writer.directory.unlock()
            return false
        }
        return true
    }

    private static func report(
        _ tell: (LogNews) -> Void, _ body: () throws(LogFileError) -> Void
    ) {
        do throws(LogFileError) {
            try body()
        } catch {
            tell(.trouble("\(error)"))
        }
    }
}
