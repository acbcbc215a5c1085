import CacheAccess
import Threading
import ZeroMQ

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
