import CacheDisk
import Storage
import Foundation
import Testing
import Threading

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What every engine promises: the same promises for threads and for a ring.
@Suite struct FileStorageTests {
    static let engines: [FileStorageOptions.Engine] = [.threads(1), .threads(4), .ring]

    static func bench(_ engine: FileStorageOptions.Engine) throws -> FileBench {
        let bench = try FileBench()
        bench.options.engine = engine
        return bench
    }

    @Test(arguments: engines)
    func whatWasWrittenIsReadBack(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        let storage = try bench.make()
        defer { storage.close() }
        let owned = FileBench.pattern(1, 1_000)
        let stored = FileBench.pattern(2, 5_000)
        storage.tail[100..<5_100].copyBytes(from: stored)
        let (here, there) = (bench.geometry.segmentsOffset, bench.geometry.segmentsOffset + 8_192)
        let answers = try bench.run(
            [
                .write(DiskTicket(1), .owned(owned), at: here),
                .write(DiskTicket(2), .tail(100..<5_100), at: there),
                .synchronize(DiskTicket(3)),
            ], on: storage)
        #expect(answers.map(\.ticket.rawValue) == [1, 2, 3])
        #expect(answers.allSatisfy { $0.outcome.isDone })
        #expect(try bench.read(1_000, at: here, of: storage).bytes == owned)
        #expect(try bench.read(5_000, at: there, of: storage).bytes == stored)
        let seen = try bench.bytes(there..<there + 5_000)
        #expect(seen == stored)
    }

    @Test(arguments: engines)
    func manyReadsUnderWayAreAnsweredOnceEach(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        let storage = try bench.make()
        defer { storage.close() }
        let base = bench.geometry.segmentsOffset
        let bytes = FileBench.pattern(9, 65_536)
        _ = try bench.run([.write(DiskTicket(1), .owned(bytes), at: base)], on: storage)
        // More than a ring has places for, of all lengths, in pieces that wake once each.
        let ranges: [Range<Int>] = (0..<400).map { number in
            number * 151..<number * 151 + number * 13 % 5_000 + 1
        }
        for first in stride(from: 0, to: 400, by: 80) {
            storage.submit(
                (first..<first + 80).map { number -> DiskCommand in
                    let (ticket, range) = (DiskTicket(UInt64(number)), ranges[number])
                    return .read(ticket, byteCount: range.count, at: base + range.lowerBound)
                })
        }
        let answers = try bench.completions(400, of: storage)
        #expect(Set(answers.map(\.ticket)).count == 400)
        for answer in answers {
            #expect(answer.outcome.bytes == Array(bytes[ranges[Int(answer.ticket.rawValue)]]))
        }
    }

    @Test(arguments: engines)
    func callsThatMoveLittleAreMadeAgain(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        bench.options.faults = DiskFaults(bytesAtOnceMax: 7) { _ in 0 }
        let storage = try bench.make()
        defer { storage.close() }
        let bytes = FileBench.pattern(4, 1_000)
        let base = bench.geometry.segmentsOffset
        _ = try bench.run([.write(DiskTicket(1), .owned(bytes), at: base + 3)], on: storage)
        #expect(try bench.read(1_000, at: base + 3, of: storage).bytes == bytes)
        #expect(try bench.read(0, at: base, of: storage).bytes == [])
    }

    @Test(arguments: engines)
    func aReadBeyondTheEndIsACutFile(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        let storage = try bench.make()
        defer { storage.close() }
        let end = bench.geometry.fileBytes
        #expect(try bench.read(100, at: end - 100, of: storage).bytes?.count == 100)
        try bench.cut(to: end - 50)
        #expect(try bench.read(100, at: end - 100, of: storage).failure == .cut)
        #expect(try bench.read(100, at: end, of: storage).failure == .cut)
        // The tail lies before the cut.
        storage.tail[0] = 7
        #expect(!storage.isTailLost)
    }

    @Test(arguments: engines)
    func aReadThatFailsIsToldAndTheNextIsNot(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        let left = Guarded(2)
        bench.options.faults = DiskFaults { step in
            guard step == .read else { return 0 }
            return left.withLock { left in
                left -= 1
                return left == 0 ? EIO : 0
            }
        }
        let storage = try bench.make()
        defer { storage.close() }
        let base = bench.geometry.segmentsOffset
        #expect(try bench.read(10, at: base, of: storage).bytes?.count == 10)
        #expect(
            try bench.read(10, at: base, of: storage).failure == .device("Input/output error"))
        #expect(try bench.read(10, at: base, of: storage).bytes?.count == 10)
    }

    @Test(arguments: engines)
    func closingWaitsForWhatIsUnderWay(_ engine: FileStorageOptions.Engine) throws {
        let bench = try Self.bench(engine)
        let (mayRead, mayWrite) = (Promise<Void>(), Promise<Void>())
        bench.options.faults = DiskFaults { step in
            // A ring is fed by who submits, whom nothing may hold up.
            if step == .read, engine != .ring { mayRead.wait() }
            return 0
        }
        let storage = try bench.make()
        let base = bench.geometry.segmentsOffset
        storage.submit((0..<200).map { .read(DiskTicket($0), byteCount: 64, at: base) })
        storage.submit((200..<210).map { .write(DiskTicket($0), .owned([1]), at: base) })
        let helper = try OwnedThread(name: "helper") {
            mayWrite.wait()
            mayRead.fulfil(())
        }
        #expect(throws: DiskFileError.inUse(path: bench.path)) { try bench.open() }
        mayWrite.fulfil(())
        storage.close()
        storage.close()
        helper.join()
        #expect(storage.takeCompletions().count == 210)
        let again = try bench.open()
        #expect(again.sizeBytes == bench.geometry.fileBytes)
    }

    @Test func aRingReadsWhereTheSystemHasOne() throws {
        let bench = try Self.bench(.ring)
        let storage = try bench.make()
        if !storage.isReadByRing { print("no ring here: threads were tested in its place") }
        storage.close()
        let threads = try Self.bench(.threads(1)).make()
        #expect(!threads.isReadByRing)
    }

    @Test func aReadDoesNotWaitForAnother() throws {
        let bench = try Self.bench(.threads(2))
        let (first, isHeld) = (Guarded(true), Promise<Void>())
        bench.options.faults = DiskFaults { step in
            let waits =
                step == .read
                && first.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
            if waits { isHeld.wait() }
            return 0
        }
        let storage = try bench.make()
        let base = bench.geometry.segmentsOffset
        storage.submit((1...20).map { .read(DiskTicket($0), byteCount: 8, at: base) })
        let early = try bench.completions(19, of: storage)
        isHeld.fulfil(())
        let late = try bench.completions(1, of: storage)
        #expect(Set((early + late).map(\.ticket)).count == 20)
        storage.close()
    }

    @Test func writesAreDoneInOrder() throws {
        let bench = try FileBench()
        let steps = Guarded<[DiskFaults.Step]>([])
        bench.options.faults = DiskFaults { step in
            steps.withLock { $0.append(step) }
            return 0
        }
        let storage = try bench.make()
        defer { storage.close() }
        steps.withLock { $0 = [] }
        let base = bench.geometry.segmentsOffset
        var commands: [DiskCommand] = []
        for number in UInt64(1)...200 {
            let bytes = [UInt8](repeating: UInt8(number), count: 3_000)
            commands.append(
                number % 50 == 0
                    ? .synchronize(DiskTicket(number))
                    : .write(DiskTicket(number), .owned(bytes), at: base))
        }
        for half in [commands[..<77], commands[77...]] { storage.submit(Array(half)) }
        let answers = try bench.completions(200, of: storage)
        #expect(answers.map(\.ticket.rawValue) == Array(1...200))
        let last = try bench.bytes(base..<base + 3_000)
        #expect(last == [UInt8](repeating: 199, count: 3_000))
        let expected = (1...200).map { $0 % 50 == 0 ? DiskFaults.Step.synchronize : .write }
        #expect(steps.withLock { $0 } == expected)
    }

    @Test(arguments: [
        (ENOSPC, DiskFailure.noRoom), (EDQUOT, .noRoom), (EROFS, .readOnly),
        (EIO, .device("Input/output error")),
    ])
    func whatFailsIsToldInItsKind(_ code: CInt, _ failure: DiskFailure) throws {
        let bench = try FileBench()
        let isBroken = Guarded(false)
        bench.options.faults = DiskFaults { step in
            (step == .write || step == .synchronize) && isBroken.withLock { $0 } ? code : 0
        }
        let storage = try bench.make()
        defer { storage.close() }
        isBroken.withLock { $0 = true }
        let base = bench.geometry.segmentsOffset
        let commands: [DiskCommand] = [
            .write(DiskTicket(1), .owned([1]), at: base),
            .write(DiskTicket(2), .tail(0..<9), at: base), .synchronize(DiskTicket(3)),
        ]
        let failed = try bench.run(commands, on: storage)
        #expect(failed.map(\.outcome.failure) == [failure, failure, failure])
        isBroken.withLock { $0 = false }
        let done = try bench.run(commands, on: storage)
        #expect(done.allSatisfy { $0.outcome.isDone })
    }

    @Test func anUnpreparedFileTakesNoCommands() async throws {
        let bench = try FileBench()
        await #expect(processExitsWith: .failure) { [path = bench.path as String] in
            let storage = try FileStorage(path)
            storage.submit([.synchronize(DiskTicket(1))])
            exit(EXIT_SUCCESS)
        }
        #expect(FileManager.default.fileExists(atPath: bench.path))
    }

    @Test func manyThreadsAreAProgrammingError() async throws {
        let bench = try FileBench()
        await #expect(processExitsWith: .failure) { [path = bench.path as String] in
            var options = FileStorageOptions()
            options.engine = .threads(CacheFilesLimits.readers.upperBound + 1)
            let storage = try FileStorage(path, options: options)
            try storage.prepare(try #require(FileBench.usual), anew: true)
            exit(EXIT_SUCCESS)
        }
        #expect(try bench.open().sizeBytes == bench.geometry.fileBytes)
    }
}
