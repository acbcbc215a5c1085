package import CacheAccess
package import Logging
import Threading
import ZeroMQ

/// The log of who did what: any thread notes, one thread writes.
///
///     publisher, shards ─┐ note: the time, a lock, an append
///     gatekeeper ────────┴──▶ AuditMailbox ──▶ thread "audit" ──▶ AuditFile
///                             bounded          lines, one write for a batch
///
/// Noting never waits: what has no room, in memory or on the disk, is counted, said once in the
/// ordinary log, and told by a line of its own when there is room again. Nothing is synchronized
/// but at a rotation and at the end: what a killed process had noted in its last milliseconds is
/// lost, what a power failure costs is the kernel's to say.
///
/// Ended by ``stop()``, after everybody who notes has ended.
package final class AuditLog: Sendable {
    private let mailbox: AuditMailbox
    private let thread: OwnedThread<Void>

    /// Opens the file and begins.
    ///
    /// - Parameter role: who writes it, in its first line.
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

    /// Notes something, with the time of now. From any thread; never waits.
    package func note(_ event: AuditEvent) {
        mailbox.post(AuditMailbox.Letter(event: event, milliseconds: AuditClock.milliseconds))
    }

    /// Writes what was noted, and ends. Any number of times.
    package func stop() {
        note(AuditEvent(.ended))
        mailbox.stop()
        thread.join()
    }
}
