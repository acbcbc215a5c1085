package import ByteCoding
package import CacheModel

/// FLOOR SNAPSHOT: a part of the names that records have covered, each with its newest record.
///
///     body: log id 8, as of mark 24, complete since 8, everything 8,
///           first bucket 4, next bucket 4, namespaces 2, prefixes 2, reserved 4,
///           namespaces: sequence 8, name bytes 1, name
///           prefixes: sequence 8, namespace bytes 1, reserved 1, prefix bytes 2, namespace, prefix
///           `count` buckets: bucket 4, sequence 6
public struct FloorSnapshotPart: Hashable, Sendable {
    public struct TouchedNamespace: Hashable, Sendable {
        package var namespace: Namespace
        package var sequence: SequenceNumber

        package init(_ namespace: Namespace, _ sequence: SequenceNumber) {
            self.namespace = namespace
            self.sequence = sequence
        }
    }

    public struct TouchedPrefix: Hashable, Sendable {
        package var namespace: Namespace
        package var prefix: [UInt8]
        package var sequence: SequenceNumber

        package init(_ prefix: [UInt8], in namespace: Namespace, _ sequence: SequenceNumber) {
            self.namespace = namespace
            self.prefix = prefix
            self.sequence = sequence
        }
    }

    public struct TouchedBucket: Hashable, Sendable {
        package var bucket: Int
        package var sequence: SequenceNumber

        package init(_ bucket: Int, _ sequence: SequenceNumber) {
            self.bucket = bucket
            self.sequence = sequence
        }
    }

    package var log: LogID
    /// The publisher's position when it made this part.
    package var asOf: LogMark
    /// Every later record is in the snapshot; of the epoch of ``asOf``.
    package var completeSince: SequenceNumber
    /// The newest record that covered everything; 0: none.
    package var everything: SequenceNumber
    /// The part covers the buckets from this one up to, but not including, ``nextBucket``.
    package var firstBucket: Int
    package var nextBucket: Int
    package var namespaces: [TouchedNamespace] = []
    package var prefixes: [TouchedPrefix] = []
    /// In order.
    package var buckets: [TouchedBucket] = []

    package init(
        log: LogID, asOf: LogMark, completeSince: SequenceNumber, firstBucket: Int, nextBucket: Int
    ) {
        self.log = log
        self.asOf = asOf
        self.completeSince = completeSince
        self.firstBucket = firstBucket
        self.nextBucket = nextBucket
        everything = .none
    }

    package var isLast: Bool { nextBucket == FloorBuckets.count }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.floorSnapshot, requestID: requestID, into: &writer)
        writer.append(log.rawValue)
        writer.append(asOf)
        writer.append(completeSince.rawValue)
        writer.append(everything.rawValue)
        writer.append(UInt32(firstBucket))
        writer.append(UInt32(nextBucket))
        writer.append(UInt16(namespaces.count))
        writer.append(UInt16(prefixes.count))
        writer.append(UInt32(0))
        for touched in namespaces {
            let name = Self.name(of: touched.namespace)
            writer.append(touched.sequence.rawValue)
            writer.append(UInt8(name.count))
            writer.append(name)
        }
        for touched in prefixes {
            let name = Self.name(of: touched.namespace)
            writer.append(touched.sequence.rawValue)
            writer.append(UInt8(name.count))
            writer.append(UInt8(0))
            writer.append(UInt16(touched.prefix.count))
            writer.append(name)
            writer.append(touched.prefix)
        }
        for touched in buckets {
            writer.append(UInt32(touched.bucket))
            writer.append(UInt32(truncatingIfNeeded: touched.sequence.rawValue))
            writer.append(UInt16(truncatingIfNeeded: touched.sequence.rawValue >> 32))
        }
        message.finish(&writer, count: buckets.count)
    }

    /// The default namespace is encoded as no bytes.
    private static func name(of namespace: Namespace) -> [UInt8] {
        namespace == .default ? [] : Array(namespace.name.utf8)
    }
}

// MARK: - Reading

extension FloorSnapshotPart {
    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        log = LogID(try reader.next(UInt64.self))
        asOf = try reader.mark()
        completeSince = try reader.sequence()
        everything = try reader.sequence()
        firstBucket = Int(try reader.next(UInt32.self))
        nextBucket = Int(try reader.next(UInt32.self))
        let namespaceCount = Int(try reader.next(UInt16.self))
        let prefixCount = Int(try reader.next(UInt16.self))
        try reader.reserved(4)
        guard firstBucket < nextBucket, nextBucket <= FloorBuckets.count else {
            throw WireRefusal(.outOfRange, "a part is about some of 4194304 buckets")
        }
        for _ in 0..<namespaceCount { namespaces.append(try Self.namespace(&reader)) }
        for _ in 0..<prefixCount { prefixes.append(try Self.prefix(&reader)) }
        buckets = try Self.buckets(&reader, count: message.count, in: firstBucket..<nextBucket)
        try reader.expectEnd()
    }

    private static func namespace(
        _ reader: inout ByteReader
    ) throws(WireRefusal) -> TouchedNamespace {
        let sequence = try reader.sequence()
        let bytes = Int(try reader.next(UInt8.self))
        return TouchedNamespace(try Scope.namespace(reader.take(bytes)), sequence)
    }

    private static func prefix(_ reader: inout ByteReader) throws(WireRefusal) -> TouchedPrefix {
        let sequence = try reader.sequence()
        let namespaceBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let prefixBytes = Int(try reader.next(UInt16.self))
        let namespace = try Scope.namespace(reader.take(namespaceBytes))
        guard (1...CacheKey.bytesMax).contains(prefixBytes) else {
            throw WireRefusal(.outOfRange, "a prefix has 1 to 4096 bytes")
        }
        return TouchedPrefix([UInt8](try reader.take(prefixBytes)), in: namespace, sequence)
    }

    private static func buckets(
        _ reader: inout ByteReader, count: Int, in range: Range<Int>
    ) throws(WireRefusal) -> [TouchedBucket] {
        var buckets: [TouchedBucket] = []
        buckets.reserveCapacity(count)
        var lowest = range.lowerBound
        for _ in 0..<count {
            let bucket = Int(try reader.next(UInt32.self))
            let low = UInt64(try reader.next(UInt32.self))
            let sequence = SequenceNumber(low | UInt64(try reader.next(UInt16.self)) << 32)
            guard bucket >= lowest, bucket < range.upperBound else {
                throw WireRefusal(.malformed, "the buckets of a part are not in its order")
            }
            lowest = bucket + 1
            buckets.append(TouchedBucket(bucket, sequence))
        }
        return buckets
    }
}
