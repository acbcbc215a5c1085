import CacheDisk
import Threading
import ZeroMQ

/// One thread with a ring of the kernel's, which has all reads under way at once.
final class RingReaders: DiskReaders {
    enum Letter: Sendable {
        case reads([DiskCommand])
        case end
    }

    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    /// - Parameter answer: called on the ring's thread.
    /// - Returns: `nil` if the system has no such ring, or forbids it.
    init?(
        _ file: TierFile, answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(DiskFileError) {
        let mailbox: Mailbox<Letter>
        do throws(ZeroMQError) {
            mailbox = try Mailbox()
        } catch {
            throw .noThread("\(error)")
        }
        let isOpen = Promise<Bool>()
        do throws(ThreadStartError) {
            thread = try OwnedThread(
                name: "disk-ring", stackBytes: CacheFilesLimits.stackBytes
            ) {
                guard var ring = ReadRing(file) else { return isOpen.fulfil(false) }
                isOpen.fulfil(true)
                ring.serve(mailbox, answer: answer)
            }
        } catch {
            throw .noThread("\(error)")
        }
        self.mailbox = mailbox
        guard isOpen.wait() else { return nil }
    }

    func add(_ commands: [DiskCommand]) { mailbox.post(.reads(commands)) }

    func end() {
        mailbox.post(.end)
        thread.join()
    }
}
