import CacheModel
import CommandSurface
import Dispatch
import LibC
import MartletClient
import SystemPackage
import Threading

/// Keys from where the user says, as many at a time as there are, and not before they are wanted.
///
/// A thread of its own reads, because a read can wait for as long as a user types. A task that is
/// cancelled meanwhile does not wait for it.
final class KeySource: Sendable {
    private struct Demand {
        var waiter: CheckedContinuation<[PrefetchRun.Item], any Error>?
        var isCancelled = false

        mutating func takeWaiter() -> CheckedContinuation<[PrefetchRun.Item], any Error>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let demand = Guarded(Demand())
    private let isWanted = DispatchSemaphore(value: 0)
    private let child: ChildProgram?

    /// Opens the file, or starts the command.
    ///
    /// - Throws: ``CommandFailure`` if that cannot be.
    init(_ place: KeyLines.Place, skip: Int) throws(CommandFailure) {
        let lines = KeyLines(name: place.name, skip: skip)
        let reader: KeyReader
        switch place {
        case .arguments(let keys):
            child = nil
            reader = KeyReader(given: keys, skip: skip)
        case .file(let path):
            child = nil
            reader = KeyReader(try Self.open(path), lines)
        case .input:
            child = nil
            reader = KeyReader(.standardInput, lines)
        case .command(let command):
            let (process, output) = try Self.spawn(command)
            child = process
            reader = KeyReader(output, lines, process)
        }
        do throws(ThreadStartError) {
            _ = try OwnedThread(name: "keys") { [self] in answer(reader) }
        } catch {
            close()
            throw CommandFailure(.refused, "the keys cannot be read: \(error)")
        }
    }

    /// Reads whenever keys are wanted, to the end of the program.
    private func answer(_ reader: KeyReader) {
        var reader = reader
        while true {
            isWanted.wait()
            let read = Result { try reader.next() }
            demand.withLock { $0.takeWaiter() }?.resume(with: read)
        }
    }

    private static func open(_ path: String) throws(CommandFailure) -> FileDescriptor {
        do {
            return try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw CommandFailure(
                .unusableInput, "cannot read \(HarmlessText.line(path)): \(error)")
        }
    }

    /// Stops the command, if there is one that still runs.
    func close() {
        child?.send(SIGTERM)
    }

    /// The next keys; none: those were all.
    ///
    /// - Throws: ``CommandFailure`` if a line is no key, or the source fails.
    func next() async throws -> [PrefetchRun.Item] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let isCancelled = demand.withLock { demand in
                    if !demand.isCancelled { demand.waiter = waiter }
                    return demand.isCancelled
                }
                if isCancelled {
                    waiter.resume(throwing: CancellationError())
                } else {
                    isWanted.signal()
                }
            }
        } onCancel: {
            let waiter = demand.withLock { demand in
                demand.isCancelled = true
                return demand.takeWaiter()
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private static func spawn(
        _ command: String
    ) throws(CommandFailure) -> (ChildProgram, FileDescriptor) {
        do throws(Errno) {
            return try ChildProgram.piped(
                "/bin/sh", ["-c", command], input: nil, error: .standardError)
        } catch {
            throw CommandFailure(.refused, "cannot start the command: \(error)")
        }
    }
}
