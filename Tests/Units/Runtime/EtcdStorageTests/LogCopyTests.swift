import CacheInvalidation
import CacheModel
import CacheWire
import EtcdStorage
import Foundation
import SharedLogCore
import Storage
import TestSupport
import Testing
import Threading

/// A log that moves from a directory to etcd and back, on real files and a real member.
@Suite(.enabled(if: EtcdServer.isInstalled, "apt install etcd-server etcd-client"))
struct LogCopyTests {
    private func files(_ directory: String) -> LogFilesOptions {
        LogFilesOptions(
            directory: directory,
            retention: LogRetention(recordsMax: 100_000, bytesMax: 64 << 20, secondsMax: nil))
    }

    private func options(_ server: EtcdServer) -> EtcdOptions {
        var options = EtcdOptions(endpoints: [server.endpoint])
        // Longer than a busy machine lets etcd wait.
        options.requestTime = .seconds(20)
        return options
    }

    /// A directory with a log of some records and what is kept beside it.
    private func write(_ count: Int, to directory: String) throws -> LogMark {
        let news = BlockingQueue<LogNews>()
        var log = try FileLog(files(directory), freshID: LogID(0xA7)) { news.put($0) }
        log.continueHistory(
            of: LogID(0xA7),
            from: LogMark(
                position: LogPosition(epoch: Epoch(3), sequence: .none),
                digest: LogDigest(startOf: LogID(0xA7))))
        for number in 0..<count {
            let key = try #require(CacheKey("k\(number)"))
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: log.head.position.next, previousDigest: log.head.digest,
                    operation: OperationID(high: 1, low: UInt64(number + 1)), strength: .hard,
                    scopes: [Scope(.key(key, in: .default))]))
            guard case .underWay = try log.append([record], expecting: log.head) else {
                throw GaveUp("a log on disk takes its time")
            }
            var isOver = false
            while !isOver {
                guard case .ended(let outcome) = news.next() else { continue }
                log.finish(outcome)
                isOver = true
            }
        }
        log.keeper.keep([1, 2, 3], as: .nodes)
        log.keeper.keep([4, 5], as: .cluster)
        log.keeper.close()
        return log.head
    }

    @Test func aLogGoesToEtcdAndBackUnderItsIdWithAllThatIsKeptBesideIt() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        let head = try write(300, to: directory.path + "/a")
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        let there = try copy.toEtcd(from: files(directory.path + "/a"))
        #expect(there.recordCount == 300 && there.head == head.position)
        let back = try copy.toDirectory(files(directory.path + "/b"))
        #expect(back == there)
        let log = try FileLog(files(directory.path + "/b"), freshID: LogID(9)) { _ in }
        defer { log.keeper.close() }
        #expect(log.id == LogID(0xA7) && log.head == head)
        #expect(log.nodes == [1, 2, 3] && log.cluster == [4, 5] && log.pacings == nil)
        let records = try #require(log.read(after: SequenceNumber(10), limit: 1))
        #expect(records.first?.record.operation == OperationID(high: 1, low: 11))
    }

    @Test func aPlaceWithALogIsNotOverwritten() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        _ = try write(3, to: directory.path + "/a")
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        _ = try copy.toEtcd(from: files(directory.path + "/a"))
        #expect(throws: LogCopyError.logExists("/m/c/head")) {
            try copy.toEtcd(from: files(directory.path + "/a"))
        }
        #expect(throws: LogCopyError.logExists(directory.path + "/a")) {
            try copy.toDirectory(files(directory.path + "/a"))
        }
    }

    /// The bytes of each file of the log in a directory.
    private func segments(_ directory: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasSuffix(".segment") || name == "stamp" {
            found[name] = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
        return found
    }

    @Test func aLogThatIsNotWholeIsNeitherCopiedNorChanged() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        let place = directory.path + "/a"
        _ = try write(300, to: place)
        let name = try #require(try segments(place).keys.first { $0.hasSuffix(".segment") })
        var bytes = try #require(try segments(place)[name])
        // The middle of the records, far from what a write that never finished may leave.
        bytes[bytes.count / 3] ^= 0xFF
        try bytes.write(to: URL(fileURLWithPath: "\(place)/\(name)"))
        let before = try segments(place)
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        for _ in 1...2 {
            #expect(throws: LogCopyError.nothingToCopy(place)) {
                try copy.toEtcd(from: files(place))
            }
            #expect(try segments(place) == before)
        }
    }

    private func read(
        _ ranges: [StoreRange], from server: EtcdServer
    ) throws -> [[StorePair]] {
        let client = try EtcdClient(options(server))
        defer { client.stop() }
        let promise = Promise<StoreOutcome>()
        let reads = ranges.map { StoreTransaction.Read($0) }
        client.send(.transaction(StoreTransaction(reads: reads))) { promise.fulfil($0) }
        guard case .success(let answer) = promise.wait(),
            case .transaction(_, let pairs) = answer.content
        else { throw GaveUp("etcd does not answer") }
        return pairs
    }

    @Test func whatAnEarlierLogLeftInEtcdDoesNotGoOnBesideTheCopy() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        _ = try write(3, to: directory.path + "/a")
        try server.control("put", "/m/c/state/pacings", "of another log")
        try server.control("put", "/m/c/furthest/p1", "of another log")
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        _ = try copy.toEtcd(from: files(directory.path + "/a"))
        let keys = SharedKeys(prefix: "/m/c/")
        let found = try read([keys.everyState, keys.everyFurthest], from: server)
        let kept: [StateName] = [.runs, .identity, .lease]
        #expect(Set(found[0].map(\.key)) == Set(kept.map(keys.state)))
        #expect(found[1].isEmpty)
    }

    @Test func aLogInEtcdWithoutItsRecordsIsRefused() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        _ = try write(3, to: directory.path + "/a")
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        let there = try copy.toEtcd(from: files(directory.path + "/a"))
        try server.control("del", "--prefix", "/m/c/records/")
        let error = #expect(throws: LogCopyError.self) {
            try copy.toDirectory(files(directory.path + "/b"))
        }
        #expect(error == .unreadable(.none), "\(there)")
    }

    @Test func nothingIsCopiedWhereThereIsNoLogOrAPublisherLeads() async throws {
        let server = try await EtcdServer()
        let directory = try TemporaryDirectory("copy")
        let copy = try LogCopy(options(server), prefix: "/m/c/")
        defer { copy.close() }
        #expect(throws: LogCopyError.nothingToCopy(directory.path + "/none")) {
            try copy.toEtcd(from: files(directory.path + "/none"))
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/none"))
        #expect(throws: LogCopyError.nothingToCopy("/m/c/head")) {
            try copy.toDirectory(files(directory.path + "/b"))
        }
        try server.control("put", "/m/c/leader", "1 term=1 publisher=p control=c live=l")
        #expect(throws: LogCopyError.publisherLeads) {
            try copy.toDirectory(files(directory.path + "/b"))
        }
    }
}
