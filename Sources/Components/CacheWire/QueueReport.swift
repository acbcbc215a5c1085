package import ByteCoding
package import CacheModel

/// QUEUE REPORT: the writes of a node that are accepted and not over, the oldest first.
///
///     body: changed 4, waiting 4, rejected 4, reserved 4, then each:
///           number 8, age 8 (milliseconds), value bytes 4 (all ones: a deletion),
///           attempts 4, status 2, last failure 1, reserved 1, namespace bytes 2, key bytes 2,
///           words bytes 2, reserved 2, namespace, key, words
///
/// There may be fewer lines than writes. A line with a status is a rejected write; 0 is a waiting
/// write, and 65 535 a write with a key that is not valid in the origin's URL.
public struct QueueReport: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        package var number: UInt64
        package var ageMilliseconds: UInt64 = 0
        /// `nil`: a deletion.
        package var valueBytes: UInt32?
        package var attemptCount: UInt32 = 0
        package var status: UInt16 = 0
        /// As in `LoadFailure`; 0: none yet.
        package var lastFailure: UInt8 = 0
        package var namespace: Namespace
        package var key: CacheKey
        /// The beginning of the origin's answer when it rejected the write.
        package var words: [UInt8] = []

        package init(number: UInt64, namespace: Namespace, key: CacheKey) {
            self.number = number
            self.namespace = namespace
            self.key = key
        }
    }

    /// The status of a write that could not be sent to the origin.
    package static let unaskable: UInt16 = .max
    /// That of a write of a key that another node owns, or did, and may have written since.
    package static let overtaken: UInt16 = .max - 1
    /// That of a write that the node which owns its key has refused; the words say why.
    package static let atOwner: UInt16 = .max - 2

    /// The number of writes that the order affected.
    package var changedCount: UInt32 = 0
    package var waitingCount: UInt32 = 0
    package var rejectedCount: UInt32 = 0
    package var lines: [Line] = []

    package init() {}

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.queueReport, requestID: requestID, into: &writer)
        writer.append(changedCount)
        writer.append(waitingCount)
        writer.append(rejectedCount)
        writer.append(UInt32(0))
        for line in lines { line.encode(into: &writer) }
        message.finish(&writer, count: lines.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        changedCount = try reader.next(UInt32.self)
        waitingCount = try reader.next(UInt32.self)
        rejectedCount = try reader.next(UInt32.self)
        try reader.reserved(4)
        for _ in 0..<message.count { lines.append(try Line(decoding: &reader)) }
        try reader.expectEnd()
    }
}

extension QueueReport.Line {
    /// Its size on the wire.
    package var bytes: Int {
        40 + namespace.name.utf8.count + key.bytes.count + words.count
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        let name = Array(namespace.name.utf8)
        writer.append(number)
        writer.append(ageMilliseconds)
        writer.append(valueBytes ?? .max)
        writer.append(attemptCount)
        writer.append(status)
        writer.append(lastFailure)
        writer.append(UInt8(0))
        writer.append(UInt16(name.count))
        writer.append(UInt16(key.bytes.count))
        writer.append(UInt16(words.count))
        writer.append(UInt16(0))
        writer.append(name)
        writer.append(key.bytes)
        writer.append(words)
    }

    fileprivate init(decoding reader: inout ByteReader) throws(WireRefusal) {
        number = try reader.next(UInt64.self)
        ageMilliseconds = try reader.next(UInt64.self)
        let valueBytes = try reader.next(UInt32.self)
        self.valueBytes = valueBytes == .max ? nil : valueBytes
        attemptCount = try reader.next(UInt32.self)
        status = try reader.next(UInt16.self)
        lastFailure = try reader.next(UInt8.self)
        try reader.reserved(1)
        let nameBytes = Int(try reader.next(UInt16.self))
        let keyBytes = Int(try reader.next(UInt16.self))
        let wordsBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(2)
        let name = Namespace(String(decoding: try reader.take(nameBytes), as: UTF8.self))
        let key = CacheKey(bytes: [UInt8](try reader.take(keyBytes)))
        words = [UInt8](try reader.take(wordsBytes))
        guard let name, let key else {
            throw WireRefusal(.outOfRange, "a namespace or a key is outside its limits")
        }
        namespace = name
        self.key = key
    }
}
