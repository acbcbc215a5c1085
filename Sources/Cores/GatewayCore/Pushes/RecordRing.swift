import CacheModel
import DequeModule

/// The newest records of the log, for subscribers that reconnect.
///
/// Bounded by number and by bytes; older records are gone, and ``start`` tells which.
struct RecordRing: Sendable {
    struct Entry: Sendable {
        let record: InvalidationRecord
        /// The message for subscribers that see all of it and asked for all of it: encoded when it
        /// is sent for the first time.
        var whole: PushMessage?
        let bytes: Int
    }

    private var entries: Deque<Entry> = []
    private var bytes = 0
    private let recordsMax: Int
    private let bytesMax: Int
    /// All records after it are here.
    private(set) var start: LogPosition

    init(
        after start: LogPosition, recordsMax: Int = PushLimits.ringRecordsMax,
        bytesMax: Int = PushLimits.ringBytesMax
    ) {
        precondition(recordsMax > 0 && bytesMax > 0, "the ring has a capacity")
        self.start = start
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
    }

    var count: Int { entries.count }
    var heldBytes: Int { bytes }
    /// The newest position.
    var end: LogPosition { entries.last?.record.position ?? start }

    subscript(place: Int) -> Entry { entries[place] }

    /// - Precondition: its position is after ``end``.
    mutating func append(_ record: InvalidationRecord, whole: PushMessage?) {
        precondition(record.position > end, "a log goes on")
        let entry = Entry(record: record, whole: whole, bytes: Self.cost(of: record))
        entries.append(entry)
        bytes += entry.bytes
        while entries.count > recordsMax || (bytes > bytesMax && entries.count > 1) {
            let oldest = entries.removeFirst()
            bytes -= oldest.bytes
            start = oldest.record.position
        }
    }

    /// Forgets all records: the log continues elsewhere.
    mutating func restart(after position: LogPosition) {
        entries.removeAll()
        bytes = 0
        start = position
    }

    /// The index of the first record after a position; ``count`` if there is none.
    ///
    /// - Complexity: O(log count).
    func place(after position: LogPosition) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].record.position > position {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// The whole of a record as it is sent.
    mutating func whole(at place: Int) -> PushMessage {
        if let message = entries[place].whole { return message }
        let record = entries[place].record
        let message = PushMessage.record(record, scopes: record.scopes)
        entries[place].whole = message
        return message
    }

    private static func cost(of record: InvalidationRecord) -> Int {
        var sum = PushLimits.recordOverhead
        record.scopes.forEachItem { item in
            sum += 2 * nameBytes(item) + PushLimits.recordOverhead
        }
        return sum
    }

    private static func nameBytes(_ item: ScopeList.Item) -> Int {
        switch item {
        case .key(let name, _): name.count
        case .other(let scope):
            switch scope.target {
            case .everything, .namespace: 0
            case .key(let key, _): key.bytes.count
            case .prefix(let bytes, _): bytes.count
            case .tag(let tag, _): tag.bytes.count
            }
        }
    }
}
