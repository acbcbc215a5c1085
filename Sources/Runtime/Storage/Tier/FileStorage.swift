package import CacheDisk
import Threading
package import ZeroMQ

/// One tier's file: it carries out what a `DiskTier` commands, on threads of its own.
///
///      the shard's thread                        threads of the file
///      ┌────────────────────────┐   writes       ┌──────────────────────────────┐
///      │ submit(commands) ──────│───────────────▶│ one writes and synchronizes, │──┐
///      │                        │   reads        ├──────────────────────────────┤  │  the
///      │                   ─────│───────────────▶│ others read                  │──┤  file
///      │ takeCompletions() ◀────│════Mailbox═════│ each answers for itself      │  │
///      │ tail[…] = bytes ───────│───────────────────────────────────────────────────┘
///      └────────────────────────┘   a store into the mapping: no call, no waiting
///
/// Where a ring of the kernel's reads, there are no threads that do: submitting hands the reads to
/// the kernel, which rings the bell.
///
/// One thread, the shard's, calls all of it and never waits after ``prepare(_:anew:segments:)``.
/// All but reads is done in order; reads overtake. Its poller watches ``bell``, which rings
/// once for any number of completions, and hands them to the tier.
///
/// It decides nothing: what it finds at the file's beginning others judge, and what a failure means
/// too. What is stored in the tail is in the file at once, whatever becomes of the process. Where
/// the system cannot keep that any more – the file was cut, its disk takes no writes – the tail
/// becomes plain memory and ``isTailLost`` says so: the tier is given up, and the process goes on.
///
/// A read that a device never answers keeps its thread, its place among those under way, and
/// ``close()``: a thread inside such a call cannot be ended, not even with the process.
package final class FileStorage {
    package let path: String
    /// The first bytes of the file as it was found: a superblock, if there is one. Empty if it had
    /// fewer than ``CacheFilesLimits/headBytes``.
    package let head: [UInt8]
    /// The size of the file as it was found.
    package let sizeBytes: Int
    package let imprint: FileImprint

    private let file: TierFile
    private let options: FileStorageOptions
    private let completions: Mailbox<DiskCompletion>
    private var state = State.opened
    /// What was read while the file was closed.
    private var late: [DiskCompletion] = []

    private enum State {
        case opened
        case prepared(Work)
        case closed
    }

    private struct Work {
        let tail: TailMapping
        let writer: DiskWriter
        let readers: any DiskReaders
    }

    /// The name of a shard's file in its directory.
    package static func path(in directory: String, shard: Int) -> String {
        "\(directory)/shard-\(shard).tier"
    }

    /// Opens a tier's file and locks it, until ``close()``. Makes it, and its directory, if they
    /// are missing. Nothing in it is changed.
    package init(
        _ path: String, options: FileStorageOptions = FileStorageOptions()
    ) throws(DiskFileError) {
        self.path = path
        self.options = options
        do throws(ZeroMQError) {
            completions = try Mailbox()
        } catch {
            throw .noThread("\(error)")
        }
        let file = try TierFile(path, faults: options.faults)
        do throws(DiskFileError) {
            imprint = try file.imprint()
            sizeBytes = try file.sizeBytes()
            head = try sizeBytes < CacheFilesLimits.headBytes ? [] : Self.head(of: file)
        } catch {
            file.letGo()
            throw error
        }
        self.file = file
    }

    private static func head(of file: TierFile) throws(DiskFileError) -> [UInt8] {
        switch file.read(CacheFilesLimits.headBytes, at: 0) {
        case .read(let bytes): return bytes
        case .failed(let failure): throw .unreadable(path: file.path, "\(failure)")
        case .done: preconditionFailure("a read ends with bytes or a failure")
        }
    }

    deinit { close() }

    /// Bytes that are free on the file system; `nil` if it does not tell. May wait for the disk.
    package var freeBytes: Int? { options.freeBytes.map { $0() } ?? file.freeBytes() }

    /// Has the free space measured by the thread that writes, for ``takeMeasuredBytes()``.
    package func measureFreeBytes() { work.writer.measure() }

    /// What was measured since this was called last; `nil` if nothing was, or the file system does
    /// not tell.
    package func takeMeasuredBytes() -> Int? { work.writer.takeMeasured() }

    /// Whether the file system can make holes in the file: tried where nothing is ever written,
    /// behind the superblock in the first page.
    package var canRelease: Bool {
        file.release(Superblock.bytes..<CacheFilesLimits.headBytes) == 0
    }

    /// Makes the file ready: reserves its room, maps its tail and starts the threads. Waits for
    /// the disk, and once only: a file that is prepared stays so.
    ///
    /// - Parameters:
    ///   - anew: begins with an empty file and a tail of zeros. Otherwise it has to have the size
    ///     that the geometry says.
    ///   - segments: how many of a new file have room; a file that is there keeps what it has.
    ///     `nil`: everything is reserved.
    /// - Throws: the file may be prepared again, in another way.
    package func prepare(
        _ geometry: DiskGeometry, anew: Bool, segments: Int? = nil
    ) throws(DiskFileError) {
        guard case .opened = state else {
            preconditionFailure("a file is prepared once, and before it is closed")
        }
        if anew {
            try file.makeAnew(geometry, segments: segments ?? geometry.segmentCount)
        } else {
            try file.checkWhole(geometry, keepsHoles: segments != nil)
        }
        let tail = try TailMapping(file, geometry)
        do throws(DiskFileError) {
            state = .prepared(try start(tail))
        } catch {
            tail.close()
            throw error
        }
    }

    private func start(_ tail: TailMapping) throws(DiskFileError) -> Work {
        let answer = { @Sendable [completions] (completion: DiskCompletion) in
            completions.post(completion)
        }
        let measure = { @Sendable [options, file] in
            options.freeBytes.map { $0() } ?? file.freeBytes()
        }
        let writer = try DiskWriter(file, tail, freeBytes: measure, answer: answer)
        do throws(DiskFileError) {
            return Work(tail: tail, writer: writer, readers: try startReaders(answer))
        } catch {
            writer.end()
            throw error
        }
    }

    private func startReaders(
        _ answer: @escaping @Sendable (DiskCompletion) -> Void
    ) throws(DiskFileError) -> any DiskReaders {
        switch options.engine {
        case .threads(let count): return try ThreadReaders(file, count: count, answer: answer)
        case .ring:
            if let ring = RingReaders(file, bell: completions.wakeup) { return ring }
            return try ThreadReaders(file, count: CacheFilesLimits.readersUsual, answer: answer)
        }
    }

    private var work: Work {
        guard case .prepared(let work) = state else {
            preconditionFailure("only a file that is prepared, and not closed, can be used")
        }
        return work
    }

    /// The tail's bytes. What is stored there is the file's, and survives this process.
    ///
    /// Valid until ``close()``.
    package var tail: UnsafeMutableRawBufferPointer { work.tail.bytes }

    /// Whether the tail is not the file's any more: its bytes are zeros, or what was stored there
    /// since. It does not become whole again.
    package var isTailLost: Bool { work.tail.isLost }

    /// Whether a ring reads: it was asked for, and the system has it.
    package var isReadByRing: Bool { work.readers is RingReaders }

    /// Begins these commands, in this order. Each is answered by one completion.
    package func submit(_ commands: [DiskCommand]) {
        let work = work
        let reads = commands.filter(\.isRead)
        if !reads.isEmpty { work.readers.add(reads) }
        guard reads.count < commands.count else { return }
        work.writer.add(reads.isEmpty ? commands : commands.filter { !$0.isRead })
    }

    /// Rings while there are completions that were not taken. The shard's poller watches it.
    package var bell: Wakeup { completions.wakeup }

    /// What has been carried out since this was called last. May be called after ``close()``.
    ///
    /// - Parameter isHeard: `false` if the poller has not heard the bell: looking costs no call
    ///   of the system then.
    package func takeCompletions(isHeard: Bool = true) -> [DiskCompletion] {
        // The bell is silenced first: a thread that rings it after that is heard the next time.
        let told = completions.takeAll(isHeard: isHeard)
        guard case .prepared(let work) = state else {
            defer { late = [] }
            return late + told
        }
        let read = work.readers.takeCompletions()
        return read.isEmpty ? told : told + read
    }

    /// Waits until everything that was submitted has been carried out, then lets go of the file:
    /// another process may have it. Calling it again does nothing.
    package func close() {
        switch state {
        case .closed: return
        case .opened: break
        case .prepared(let work):
            work.readers.end()
            late = work.readers.takeCompletions()
            work.writer.end()
            work.tail.close()
        }
        state = .closed
        file.letGo()
    }
}

extension DiskCommand {
    fileprivate var isRead: Bool {
        if case .read = self { true } else { false }
    }
}
