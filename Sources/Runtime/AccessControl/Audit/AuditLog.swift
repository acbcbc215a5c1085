package import CacheAccess
package import Logging
import Threading
import ZeroMQ

/// The audit log: any thread records events, one thread writes them.
///
///     publisher, shards ─┐ note: time, lock, append
///     gatekeeper ────────┴──▶ AuditMailbox ──▶ thread "audit" ──▶ AuditFile
///                             bounded          lines, one write per batch
///
/// Recording never blocks. An event without space, in memory or on the disk, is counted; the loss
/// is reported once in the ordinary log, and in its own line when there is space again. The file is
/// fsynced at a rotation and at the end only. A killed process loses the events of its last
/// milliseconds; a power failure loses what the kernel had not written.
///
/// End it with ``stop()``, after all threads that record events have ended.
package final class AuditLog: Sendable {
    private let mailbox: AuditMailbox
    private let thread: OwnedThread<Void>

    /// Opens the file and starts the thread.
    ///
    /// - Parameter role: the role of the process, for the first line.
    package init(
        _ settings: AuditSettings, role: String, logger: Logger
    ) throws(AuditFileError) {
        let mailbox: AuditMailbox
        do throws(ZeroMQError) {
            mailbox = try AuditMailbox()
        } catch {
            throw .noThread("\(error)")
        }
        self.mailbox = mailbox
        let ready = Promise<AuditFileError?>()
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "audit") {
                do throws(AuditFileError) {
                    var writer = try AuditWriter(settings, logger: logger)
                    ready.fulfil(nil)
                    writer.run(mailbox)
                } catch {
                    ready.fulfil(error)
                }
            }
        } catch {
            throw .noThread("\(error)")
        }
        if let error = ready.wait() { throw error }
        note(AuditEvent(.began(role: role)))
    }

    /// Records an event, with the current time. From any thread; never blocks.
    package func note(_ event: AuditEvent) {
        mailbox.post(AuditMailbox.Letter(event: event, milliseconds: AuditClock.milliseconds))
    }

    /// Writes all recorded events, and ends. May be called repeatedly.
    package func stop() {
        note(AuditEvent(.ended))
        mailbox.stop()
        thread.join()
    }
}

/// The settings of a process's audit log.
package struct AuditSettings: Sendable {
    package var path: String
    /// The file is rotated before it grows beyond this.
    package var fileBytesMax = 64 << 20
    /// Maximum number of files, including the current one.
    package var fileCountMax = 8
    package var names = AuditNames.clear

    package init(path: String) { self.path = path }
}

/// The mailbox of the writer thread: bounded, because no thread that records an event waits for it.
final class AuditMailbox: Sendable {
    struct Letter: Sendable {
        let event: AuditEvent
        /// Since 1970.
        let milliseconds: Int64
    }

    struct Content: Sendable {
        var letters: [Letter] = []
        /// Events beyond the bounds.
        var lostCount: UInt64 = 0
        var isStopped = false
        fileprivate var byteCount = 0
        fileprivate var isRung = false
    }

    let wakeup: Wakeup
    private let content = Guarded(Content())

    init() throws(ZeroMQError) {
        wakeup = try Wakeup()
    }

    /// From any thread, never waits for the disk. Beyond the bounds it is counted as lost.
    func post(_ letter: Letter) {
        let byteCount = letter.event.byteCount
        ring { content in
            guard content.letters.count < AccessLimits.auditLettersMax,
                content.byteCount + byteCount <= AccessLimits.auditLetterBytesMax
            else {
                content.lostCount += 1
                return
            }
            content.letters.append(letter)
            content.byteCount += byteCount
        }
    }

    /// The last event was posted.
    func stop() { ring { $0.isStopped = true } }

    private func ring(_ change: (inout Content) -> Void) {
        let isDue = content.withLock { content in
            change(&content)
            defer { content.isRung = true }
            return !content.isRung
        }
        if isDue { wakeup.signal() }
    }

    /// Removes and returns everything. Only the owner calls it.
    func takeAll() -> Content {
        wakeup.drain()
        return content.withLock { content in
            let taken = content
            content = Content()
            content.isStopped = taken.isStopped
            return taken
        }
    }
}
