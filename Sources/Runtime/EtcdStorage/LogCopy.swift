import CacheInvalidation
package import CacheModel
import CacheWire
import SharedLogCore
package import Storage
import Threading

/// Copies a log between a directory and etcd, with what a publisher keeps beside it: the log goes
/// on at its new place under the same id, and no node hides anything.
///
/// No publisher may run meanwhile. The copy is not used before it is whole: a directory is locked,
/// and in etcd the key `head` is written last.
package struct LogCopy {
    /// What was copied.
    package struct Summary: Hashable, Sendable {
        package let log: LogID
        package let head: LogPosition
        package var recordCount = 0
    }

    private let client: EtcdClient
    private let keys: SharedKeys

    /// - Throws: ``EtcdError``.
    package init(_ options: EtcdOptions, prefix: String) throws(EtcdError) {
        client = try EtcdClient(options)
        keys = SharedKeys(prefix: prefix)
    }

    /// Ends the connections.
    package func close() { client.stop() }

    // MARK: To etcd

    /// Copies the log of a directory to a prefix without a log.
    ///
    /// - Throws: ``LogCopyError``. Records may be in etcd then, and no log: the copy may be
    ///   repeated.
    package func toEtcd(from files: LogFilesOptions) throws(LogCopyError) -> Summary {
        let log = try open(files)
        defer { log.keeper.close() }
        let first = SequenceNumber(log.tail.rawValue - 1)
        guard let digest = log.digest(at: first) else { throw .nothingToCopy(files.directory) }
        var mark = LogMark(
            position: LogPosition(epoch: log.head.position.epoch, sequence: first), digest: digest)
        var summary = Summary(log: log.id, head: log.head.position)
        // What an earlier log or copy has left would go on beside this log.
        try write([
            .remove(keys.everyRecord), .remove(keys.everyState), .remove(keys.everyFurthest),
        ])
        while mark != log.head {
            guard
                let records = log.read(
                    after: mark.position.sequence, limit: WireLimits.replayRecordsMax),
                let last = records.last?.mark
            else { throw .unreadable(mark.position) }
            try write(batches(of: records))
            summary.recordCount += records.count
            mark = last
        }
        let head = HeadValue(log: log.id, mark: log.head, tail: log.tail)
        try write(state(of: log) + [.put(keys.head, head.bytes)])
        return summary
    }

    private func open(_ files: LogFilesOptions) throws(LogCopyError) -> FileLog {
        var isWhole = false
        do throws(LogFileError) {
            // A log that is opened without being whole begins anew, and its records are removed.
            isWhole = try FileLog.isWhole(files)
            // An id that a log takes only if its directory has none.
            if isWhole { return try FileLog(files, freshID: LogID(1)) { _ in } }
        } catch {
            throw .files(error)
        }
        throw .nothingToCopy(files.directory)
    }

    private func batches(of records: [SealedRecord]) -> [StoreTransaction.Change] {
        var changes: [StoreTransaction.Change] = []
        var rest = records[...]
        while !rest.isEmpty {
            var bytes = 0
            let batch = rest.prefix {
                bytes += $0.bytes.count
                return bytes <= SharedLogLimits.batchBytesMax / 2
            }
            let taken = batch.isEmpty ? rest.prefix(1) : batch
            guard let last = taken.last else { break }
            changes.append(
                .put(keys.records(through: last.position), RecordBatch.encoded(taken)))
            rest = rest.dropFirst(taken.count)
        }
        return changes
    }

    private func state(of log: FileLog) -> [StoreTransaction.Change] {
        let lease = log.inheritedLease.map { GrantedLease($0).bytes }
        let values: [(StateName, [UInt8]?)] = [
            (.runs, log.nodes), (.pacings, log.pacings), (.identity, log.cluster),
            (.slots, log.slots), (.lease, lease),
        ]
        return values.compactMap { name, bytes in
            bytes.map { .put(keys.state(name), $0) }
        }
    }

    /// Makes each change by itself, as long as nothing leads or has a log there.
    private func write(_ changes: [StoreTransaction.Change]) throws(LogCopyError) {
        for change in changes {
            let transaction = StoreTransaction(
                conditions: [.isAbsent(keys.leader), .isAbsent(keys.head)], changes: [change],
                reads: [.init(.key(keys.leader)), .init(.key(keys.head))])
            let (isExecuted, pairs) = try send(transaction)
            guard !isExecuted else { continue }
            throw pairs.first?.isEmpty == false ? .publisherLeads : .logExists(keys.head)
        }
    }

    // MARK: From etcd

    /// Copies the log of a prefix to a directory without one.
    ///
    /// - Throws: ``LogCopyError``. The directory has a part of the log then, and must be emptied.
    package func toDirectory(_ files: LogFilesOptions) throws(LogCopyError) -> Summary {
        let state = try readState()
        let followed = try readLog(bytesMax: Int.max / 2)
        guard let head = followed.head, followed.window.hasHistory else {
            throw .nothingToCopy(keys.head)
        }
        let outcomes = BlockingQueue<LogNews>()
        var log: FileLog
        do throws(LogFileError) {
            log = try FileLog(files, freshID: head.log) { outcomes.put($0) }
        } catch {
            throw .files(error)
        }
        defer { log.keeper.close(saving: followed.floors) }
        guard log.finding == .empty else { throw .logExists(files.directory) }
        let window = followed.window
        let first = SequenceNumber(window.tail.rawValue - 1)
        guard let digest = window.digest(at: first) else { throw .unreadable(window.head.position) }
        log.continueHistory(
            of: head.log,
            from: LogMark(
                position: LogPosition(epoch: window.head.position.epoch, sequence: first),
                digest: digest))
        var summary = Summary(log: head.log, head: window.head.position)
        while log.head != window.head {
            let limit = WireLimits.replayRecordsMax
            guard let records = window.read(after: log.head.position.sequence, limit: limit),
                !records.isEmpty
            else { throw .unreadable(log.head.position) }
            try append(records, to: &log, outcomes)
            summary.recordCount += records.count
        }
        try keep(state, beside: log, outcomes)
        return summary
    }

    private func append(
        _ records: [SealedRecord], to log: inout FileLog, _ outcomes: BlockingQueue<LogNews>
    ) throws(LogCopyError) {
        do throws(LogRefusal) {
            guard case .underWay(let ticket) = try log.append(records, expecting: log.head) else {
                return
            }
            while true {
                guard case .ended(let outcome) = outcomes.next(), outcome.ticket == ticket else {
                    continue
                }
                log.finish(outcome)
                if let refusal = outcome.refusal { throw refusal }
                return
            }
        } catch {
            throw .refused("\(error)")
        }
    }

    private func keep(
        _ state: [StateName: [UInt8]], beside log: FileLog, _ outcomes: BlockingQueue<LogNews>
    ) throws(LogCopyError) {
        if let lease = state[.lease].flatMap({ GrantedLease($0) })?.longest {
            log.keeper.note(leaseMilliseconds: UInt32(clamping: lease.wholeMilliseconds))
        }
        var waiting = 0
        for (name, bytes) in state {
            guard let file = name.logState else { continue }
            log.keeper.keep(bytes, as: file)
            waiting += 1
        }
        while waiting > 0 {
            guard case .kept(_, let error, _) = outcomes.next() else { continue }
            if let error { throw .files(error) }
            waiting -= 1
        }
    }

    private func readState() throws(LogCopyError) -> [StateName: [UInt8]] {
        let reads = StateName.allCases.map { StoreTransaction.Read(.key(keys.state($0))) }
        let (_, pairs) = try send(
            StoreTransaction(reads: [.init(.key(keys.leader))] + reads))
        guard pairs.first?.isEmpty == true else { throw .publisherLeads }
        var state: [StateName: [UInt8]] = [:]
        for (name, found) in zip(StateName.allCases, pairs.dropFirst()) {
            state[name] = found.first?.value
        }
        return state
    }

    private func readLog(bytesMax: Int) throws(LogCopyError) -> FollowedLog {
        var followed = FollowedLog(
            keys,
            FollowedLog.Bounds(freshID: LogID(1), recordsMax: Int.max / 2, bytesMax: bytesMax))
        var isIdle = false
        repeat {
            let known = followed.window.head
            // The first read shows the head alone.
            let isFirst = followed.head == nil
            let began = MonotonicClock.now
            let (_, pairs) = try send(followed.read())
            let progress: FollowedLog.Progress
            do throws(FollowedLog.Damage) {
                progress = try followed.received(pairs, askedAt: began)
            } catch {
                throw .refused("\(error)")
            }
            guard !progress.isLed else { throw .publisherLeads }
            isIdle = !isFirst && followed.window.head == known
        } while followed.isBehind && !isIdle
        guard !followed.isBehind else { throw .unreadable(followed.window.head.position) }
        return followed
    }

    /// Sends a transaction and waits for its outcome.
    private func send(
        _ transaction: StoreTransaction
    ) throws(LogCopyError) -> (isExecuted: Bool, pairs: [[StorePair]]) {
        let promise = Promise<StoreOutcome>()
        client.send(.transaction(transaction)) { promise.fulfil($0) }
        switch promise.wait() {
        case .success(let answer):
            guard case .transaction(let isExecuted, let pairs) = answer.content else {
                throw .refused("etcd answered something else")
            }
            return (isExecuted, pairs)
        case .failure(let failure): throw .refused(failure.reason)
        }
    }
}

/// Why a log is not copied.
package enum LogCopyError: Error, Equatable, CustomStringConvertible {
    case files(LogFileError)
    case nothingToCopy(String)
    case logExists(String)
    case publisherLeads
    case unreadable(LogPosition)
    case refused(String)

    package var description: String {
        switch self {
        case .files(let error): "\(error)"
        case .nothingToCopy(let place): "there is no whole log at \(place)"
        case .logExists(let place):
            "there is a log at \(place) already; remove it, or choose another place"
        case .publisherLeads: "a publisher leads the log in etcd; stop all publishers first"
        case .unreadable(let position): "the records after \(position) cannot be read"
        case .refused(let reason): "the copy is not whole: \(reason)"
        }
    }
}
