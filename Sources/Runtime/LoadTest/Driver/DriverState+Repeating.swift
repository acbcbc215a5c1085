import CacheVerification
import MartletClient

/// Operations to send again because their keys are on the way to another shard, in the order of
/// their times.
struct RepeatQueue {
    private struct Entry {
        let tag: UInt32
        let at: UInt64
    }

    /// Whether keys of the cluster move between shards while it runs: only then BUSY is not the end
    /// of an operation.
    var isOn = false
    private var entries: [Entry] = []

    /// When the first operation is due; `nil` if there is none.
    var next: UInt64? { entries.first?.at }

    mutating func add(_ tag: UInt32, at moment: UInt64) {
        entries.append(Entry(tag: tag, at: moment))
    }

    /// Removes those that are due, as long as they are sent.
    ///
    /// - Parameter send: returns `false` if there is no capacity left.
    mutating func takeDue(_ now: UInt64, _ send: (UInt32) -> Bool) {
        var count = 0
        while count < entries.count, entries[count].at <= now, send(entries[count].tag) {
            count += 1
        }
        entries.removeFirst(count)
    }

    mutating func takeAll() -> [UInt32] {
        defer { entries.removeAll() }
        return entries.map(\.tag)
    }
}

extension DriverState {
    /// Has an operation sent again a little later, if its key is on the way to another shard.
    mutating func isRepeated(_ completion: PipelinedCompletion) -> Bool {
        guard completion.outcome == .busy, repeats.isOn else { return false }
        var operation = table[completion.tag]
        guard operation.asksShard, operation.step != .filling else { return false }
        if operation.busySince == 0 { operation.busySince = now }
        guard now - operation.busySince < Driver.patience else { return false }
        table[completion.tag] = operation
        recorder.repeated(operation.kind)
        repeats.add(completion.tag, at: now + LoadTestLimits.repeatPause)
        return true
    }

    mutating func submitRepeats(over connection: inout PipelinedConnection, _ now: UInt64) {
        repeats.isOn = connection.hasSlots
        guard let next = repeats.next, next <= now else { return }
        var due = RepeatQueue()
        swap(&due, &repeats)
        due.takeDue(now) { submitAgain($0, over: &connection, now) }
        repeats = due
    }

    private mutating func submitAgain(
        _ tag: UInt32, over connection: inout PipelinedConnection, _ now: UInt64
    ) -> Bool {
        var operation = table[tag]
        operation.askedAt = now
        if let oracle { operation.version = oracle.oracle.floor(of: operation.key) }
        table[tag] = operation
        return send(operation, tag, over: &connection)
    }
}

extension OperationTable.Operation {
    /// Whether its request goes to a shard, and not to the publisher.
    fileprivate var asksShard: Bool { ticket == nil && kind != .invalidate }
}
