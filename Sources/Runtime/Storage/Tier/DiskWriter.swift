import CacheDisk
import LibC
import Threading

/// The thread that writes and synchronizes, in the order it was asked to. It measures the free
/// space, too: some file systems wait for others before they tell it.
final class DiskWriter: Sendable {
    private enum Work {
        case command(DiskCommand)
        case measure
    }

    private let queue = WorkQueue<Work>()
    private let thread: OwnedThread<Void>
    private let measurement: Guarded<Measurement>

    private struct Measurement: Sendable {
        /// Whether one is asked for, and was not made yet.
        var isPending = false
        /// What was measured last, and not taken.
        var freeBytes: Int?
    }

    /// - Parameters:
    ///   - freeBytes: of the file system; called on the thread that writes.
    ///   - answer: called on the thread that writes.
    init(
        _ file: TierFile, _ tail: TailMapping, freeBytes: @escaping @Sendable () -> Int?,
        answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(DiskFileError) {
        let measurement = Guarded(Measurement())
        self.measurement = measurement
        do throws(ThreadStartError) {
            thread = try OwnedThread(
                name: "disk-write", stackBytes: CacheFilesLimits.stackBytes
            ) { [queue] in
                while let work = queue.take() {
                    switch work {
                    case .command(let command):
                        answer(
                            DiskCompletion(command.ticket, Self.outcome(of: command, file, tail)))
                    case .measure:
                        let bytes = freeBytes()
                        measurement.withLock { $0 = Measurement(freeBytes: bytes) }
                    }
                }
            }
        } catch {
            throw .noThread("\(error)")
        }
    }

    func add(_ commands: [DiskCommand]) { queue.add(commands.map { .command($0) }) }

    /// Has the free space measured, after what was added before.
    func measure() {
        let isPending = measurement.withLock { measurement in
            defer { measurement.isPending = true }
            return measurement.isPending
        }
        if !isPending { queue.add([.measure]) }
    }

    /// The free space that was measured, once.
    func takeMeasured() -> Int? {
        measurement.withLock { measurement in
            defer { measurement.freeBytes = nil }
            return measurement.freeBytes
        }
    }

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
