import CacheDisk
import Threading

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The thread that writes and synchronizes, in the order it was asked to.
final class DiskWriter: Sendable {
    private let queue = WorkQueue<DiskCommand>()
    private let thread: OwnedThread<Void>

    /// - Parameter answer: called on the thread that writes.
    init(
        _ file: TierFile, _ tail: TailMapping,
        answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(DiskFileError) {
        do throws(ThreadStartError) {
            thread = try OwnedThread(
                name: "disk-write", stackBytes: CacheFilesLimits.stackBytes
            ) { [queue] in
                while let command = queue.take() {
                    answer(
                        DiskCompletion(command.ticket, Self.outcome(of: command, file, tail)))
                }
            }
        } catch {
            throw .noThread("\(error)")
        }
    }

    func add(_ commands: [DiskCommand]) { queue.add(commands) }

    /// Returns once everything that was given has been done.
    func end() {
        queue.end()
        thread.join()
    }

    private static func outcome(
        of command: DiskCommand, _ file: TierFile, _ tail: TailMapping
    ) -> DiskCompletion.Outcome {
        switch command {
        case .write(_, .owned(let bytes), let offset):
            DiskCompletion.Outcome(
                errorNumber: bytes.withUnsafeBytes { file.write($0, at: offset) })
        case .write(_, .tail(let range), let offset):
            write(range, of: tail, to: file, at: offset)
        case .synchronize: DiskCompletion.Outcome(errorNumber: file.synchronize())
        case .release(_, let byteCount, let offset):
            release(offset..<offset + byteCount, of: file, behind: tail)
        case .reserve(_, let byteCount, let offset):
            DiskCompletion.Outcome(errorNumber: file.reserve(offset..<offset + byteCount))
        case .read: preconditionFailure("what reads is not the thread that writes")
        }
    }

    private static func release(
        _ range: Range<Int>, of file: TierFile, behind tail: TailMapping
    ) -> DiskCompletion.Outcome {
        // A store into a hole of the mapping may find no room, which is a signal.
        precondition(range.lowerBound >= tail.endOffset, "the mapped part keeps its room")
        return DiskCompletion.Outcome(errorNumber: file.release(range))
    }

    /// A tail that was lost holds zeros: they must not be taken for what was stored there.
    private static func write(
        _ range: Range<Int>, of tail: TailMapping, to file: TierFile, at offset: Int
    ) -> DiskCompletion.Outcome {
        let code =
            tail.isLost
            ? 0 : file.write(UnsafeRawBufferPointer(rebasing: tail.bytes[range]), at: offset)
        // Where a thread's own reading is a signal, the system's reading for it is this error.
        if code == EFAULT { tail.lose() }
        guard !tail.isLost else { return .failed(.device("the tail was lost")) }
        if code == 0 { file.beginWriting(range.count, at: offset) }
        return DiskCompletion.Outcome(errorNumber: code)
    }
}
