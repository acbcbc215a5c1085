import ByteCoding

/// docs/disk-format.md specifies these bytes.
extension LastingFloors {
    /// "MARTDFL1"
    private static let magic: UInt64 = 0x314C_4644_5452_414D
    /// A bucket's number and its floor, where few are raised.
    private static let raisedBucketBytes = 4 + BucketTable.floorBytes

    /// All floors, in at most the allowed number of bytes. Equal floors give equal bytes.
    ///
    /// - Complexity: O(buckets + floors).
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(
            capacityBytes: FloorShares.headBytes + Self.bytes(of: tags.hard)
                + Self.bytes(of: tags.soft) + namespaces.bytes + prefixes.bytes + ranges.bytes)
        writer.append(Self.magic)
        writer.append(UInt32(shares.bucketCount))
        writer.append(Self.told(tags.hard))
        writer.append(Self.told(tags.soft))
        writer.append(UInt32(namespaces.list.count))
        writer.append(UInt32(prefixes.list.count))
        writer.append(UInt32(ranges.list.count))
        writer.append(UInt32(0))
        writer.append(everything)
        Self.append(tags.hard, to: &writer)
        Self.append(tags.soft, to: &writer)
        for list in [namespaces.list, prefixes.list] {
            for (name, floors) in zip(list.names, list.values) {
                writer.append(name)
                writer.append(floors)
            }
        }
        for (name, ranges) in zip(ranges.list.names, ranges.list.values) {
            writer.append(name)
            writer.append(UInt32(ranges.pieces.count))
            for piece in ranges.pieces {
                writer.append(piece.range.lowerBound)
                writer.append(piece.range.upperBound)
                writer.append(piece.floors)
            }
        }
        return writer.array
    }

    private static func isDense(_ table: BucketTable) -> Bool {
        table.raisedCount * raisedBucketBytes >= table.count * BucketTable.floorBytes
    }

    private static func bytes(of table: BucketTable) -> Int {
        isDense(table)
            ? table.count * BucketTable.floorBytes : table.raisedCount * raisedBucketBytes
    }

    /// How many buckets are listed; all of them in sequence, or some by number.
    private static func told(_ table: BucketTable) -> UInt32 {
        UInt32(isDense(table) ? table.count : table.raisedCount)
    }

    private static func append(_ table: BucketTable, to writer: inout ByteWriter) {
        guard !isDense(table) else { return writer.append(table.bytes) }
        table.forEachRaised { bucket, floor in
            writer.append(UInt32(bucket))
            writer.append48(floor)
        }
    }
}

// MARK: - Reading

extension LastingFloors {
    /// Decodes the result of ``encoded()``, for a tier of this seed and size.
    ///
    /// - Returns: `nil` for impossible bytes. The checkpoint has the checksum.
    package init?(decoding bytes: [UInt8], seed: UInt64, bytesMax: Int) {
        self.init(seed: seed, bytesMax: bytesMax)
        guard bytes.count <= bytesMax else { return nil }
        let isRead = bytes.withUnsafeBytes { bytes in
            do throws(CodingDamage) {
                return try read(bytes)
            } catch {
                return false
            }
        }
        guard isRead else { return nil }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(CodingDamage) -> Bool {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt64.self) == Self.magic,
            Int(try reader.integer(UInt32.self)) == shares.bucketCount
        else { return false }
        let (hard, soft) = (
            Int(try reader.integer(UInt32.self)), Int(try reader.integer(UInt32.self))
        )
        let (namespaceCount, prefixCount, rangedCount) = (
            try reader.integer(UInt32.self), try reader.integer(UInt32.self),
            try reader.integer(UInt32.self)
        )
        guard try reader.integer(UInt32.self) == 0 else { return false }
        everything = try reader.floors()
        guard try Self.read(hard, from: &reader, into: &tags.hard),
            try Self.read(soft, from: &reader, into: &tags.soft)
        else { return false }
        for _ in 0..<namespaceCount {
            guard let name = try reader.name(), case .namespace = name.kind,
                namespaces.append(name, try reader.floors())
            else { return false }
        }
        for _ in 0..<prefixCount {
            guard let name = try reader.name(), case .prefix = name.kind,
                prefixes.append(name, try reader.floors())
            else { return false }
        }
        for _ in 0..<rangedCount where try !readRanged(&reader) { return false }
        highest = max(
            everything.highest, namespaces.highest, prefixes.highest, ranges.highest,
            tags.hard.highest, tags.soft.highest)
        return reader.isAtEnd
    }

    private static func read(
        _ told: Int, from reader: inout ByteReader, into table: inout BucketTable
    ) throws(CodingDamage) -> Bool {
        guard told < table.count else {
            guard told == table.count else { return false }
            let bytes = try reader.bytes(told * BucketTable.floorBytes)
            table.replace(with: bytes)
            return isDense(table)
        }
        var next = 0
        for _ in 0..<told {
            let bucket = Int(try reader.integer(UInt32.self))
            let floor = try reader.integer48()
            guard (next..<table.count).contains(bucket), floor > 0 else { return false }
            table.raise(bucket, to: floor)
            next = bucket + 1
        }
        return !isDense(table)
    }

    private mutating func readRanged(_ reader: inout ByteReader) throws(CodingDamage) -> Bool {
        guard let name = try reader.name() else { return false }
        if case .bucket(let bucket) = name.kind, bucket >= shares.bucketCount { return false }
        var ranged = FloorRanges()
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let (lower, upper) = (
                try reader.integer(UInt64.self), try reader.integer(UInt64.self)
            )
            guard lower <= upper else { return false }
            let piece = FloorRanges.Piece(range: lower...upper, floors: try reader.floors())
            guard ranged.append(piece) else { return false }
        }
        return ranges.append(name, ranged)
    }
}

// MARK: - Words

extension ByteWriter {
    fileprivate mutating func append48(_ value: UInt64) {
        append(UInt32(truncatingIfNeeded: value))
        append(UInt16(truncatingIfNeeded: value >> 32))
    }

    fileprivate mutating func append(_ floors: FloorPair) {
        append48(floors.hard)
        append48(floors.soft)
    }

    fileprivate mutating func append(_ name: ScopeName) {
        append(UInt16(name.bytes.count))
        append(name.bytes)
    }
}

extension ByteReader {
    fileprivate mutating func floors() throws(CodingDamage) -> FloorPair {
        FloorPair(hard: try integer48(), soft: try integer48())
    }

    /// `nil` for bytes that name no scope.
    fileprivate mutating func name() throws(CodingDamage) -> ScopeName? {
        ScopeName(stored: try bytes(Int(try integer(UInt16.self))))
    }
}
