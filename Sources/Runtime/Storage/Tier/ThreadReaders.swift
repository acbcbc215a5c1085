import CacheDisk
import Threading

/// Threads that read, each one piece after the other.
final class ThreadReaders: DiskReaders {
    private let queue: WorkQueue<DiskCommand>
    private let threads: [OwnedThread<Void>]

    /// - Parameter answer: called on the threads that read.
    init(
        _ file: TierFile, count: Int, answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(DiskFileError) {
        precondition(
            CacheFilesLimits.readers.contains(count),
            "a file is read by a bounded number of threads")
        let queue = WorkQueue<DiskCommand>()
        var threads: [OwnedThread<Void>] = []
        do throws(ThreadStartError) {
            for number in 0..<count {
                threads.append(try Self.start(number, file, queue, answer: answer))
            }
        } catch {
            queue.end()
            for thread in threads { thread.join() }
            throw .noThread("\(error)")
        }
        self.queue = queue
        self.threads = threads
    }

    func add(_ commands: [DiskCommand]) { queue.add(commands) }

    /// Each thread answers for itself.
    func takeCompletions() -> [DiskCompletion] { [] }

    func end() {
        queue.end()
        for thread in threads { thread.join() }
    }

    private static func start(
        _ number: Int, _ file: TierFile, _ queue: WorkQueue<DiskCommand>,
        answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(ThreadStartError) -> OwnedThread<Void> {
        try OwnedThread(name: "disk-read-\(number)", stackBytes: CacheFilesLimits.stackBytes) {
            while let command = queue.take() {
                guard case .read(let ticket, let byteCount, let offset) = command else {
                    preconditionFailure("what writes is not a thread that reads")
                }
                answer(DiskCompletion(ticket, file.read(byteCount, at: offset)))
            }
        }
    }
}
