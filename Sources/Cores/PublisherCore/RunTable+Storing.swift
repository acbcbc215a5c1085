import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// The file format of the table of runs, stored beside the log. docs/log-format.md has the bytes.
///
///     magic 8, checksum 4 (of what follows), count 4, log id 8, epoch 4, members 1 (0 unknown,
///     1 moving, 2 settled, 3 moving and everything must be hidden first, 4 by slots), reserved 3,
///     members' digest 8, then each:
///     id bytes 1, runs 1, alone 1, reserved 1, previous 8, id, runs (8 each, the newest first)
extension RunTable {
    /// "MARTNOD3": the last character is the number of the format.
    private static let magic: UInt64 = 0x3344_4F4E_5452_414D
    /// The format before it, without members.
    private static let magicOfLives: UInt64 = 0x3244_4F4E_5452_414D
    private static let headBytes = 28

    /// - Parameter epoch: in which it is stored. It contains nothing about grants in other epochs.
    func stored(for log: LogID, in epoch: Epoch) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(nodes.count))
        writer.append(log.rawValue)
        writer.append(epoch.rawValue)
        writer.append(members?.standing ?? 0)
        writer.append(zeros: 3)
        writer.append(members?.digest ?? 0)
        for (node, lives) in nodes.sorted(by: { $0.key < $1.key }) {
            let id = Array(node.name.utf8)
            writer.append(UInt8(id.count))
            writer.append(UInt8(lives.runs.count))
            writer.append(lives.standing)
            writer.append(UInt8(0))
            writer.append(lives.previous.rawValue)
            writer.append(id)
            for run in lives.runs { writer.append(run.rawValue) }
        }
        writer.patch(StoredChecksum.of(writer.bytes, from: 12), at: 8)
        return writer.array
    }

    /// Decodes a stored table; `nil` if it is damaged or of another format.
    ///
    /// - Returns: the table, and the log and epoch it was written for.
    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) -> (table: RunTable, log: LogID, epoch: Epoch)? {
        guard bytes.count >= headBytes, [magic, magicOfLives].contains(StableHash.word(bytes, 0)),
            StoredChecksum.read(bytes, at: 8) == StoredChecksum.of(bytes, from: 12)
        else { return nil }
        let count = Int(StoredChecksum.read(bytes, at: 12))
        guard count <= PublisherLimits.livesNodesMax else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[16...]))
        var nodes: [NodeID: Lives] = [:]
        do throws(WireRefusal) {
            let log = LogID(try reader.next(UInt64.self))
            let epoch = Epoch(try reader.next(UInt32.self))
            let members =
                StableHash.word(bytes, 0) == magic ? try Members.read(&reader) : nil
            for _ in 0..<count {
                let (node, lives) = try Lives.read(&reader)
                nodes[node] = lives
            }
            try reader.expectEnd()
            return nodes.count == count ? (RunTable(resuming: nodes, members), log, epoch) : nil
        } catch {
            return nil
        }
    }
}

extension RunTable.Members {
    fileprivate static func read(
        _ reader: inout ByteReader
    ) throws(WireRefusal) -> RunTable.Members? {
        let standing = try reader.next(UInt8.self)
        try reader.reserved(3)
        let digest = try reader.next(UInt64.self)
        guard standing <= 4 else {
            throw WireRefusal(.outOfRange, "what is said of the members is not known")
        }
        return standing == 0
            ? nil
            : RunTable.Members(
                digest: digest, areSettled: standing == 2 || standing == 4,
                hidesEverything: standing == 3, isBySlots: standing == 4)
    }

    fileprivate var standing: UInt8 {
        isBySlots ? 4 : areSettled ? 2 : hidesEverything ? 3 : 1
    }
}

extension RunTable.Lives {
    fileprivate static func read(
        _ reader: inout ByteReader
    ) throws(WireRefusal) -> (NodeID, RunTable.Lives) {
        let idBytes = Int(try reader.next(UInt8.self))
        let count = Int(try reader.next(UInt8.self))
        let standing = try reader.next(UInt8.self)
        try reader.reserved(1)
        guard (1...PublisherLimits.livesPerNodeMax).contains(count), standing <= 4 else {
            throw WireRefusal(.outOfRange, "a node has at least one life, and not too many")
        }
        let previous = Incarnation(try reader.next(UInt64.self))
        let node = try reader.nodeID(idBytes)
        var runs: [Incarnation] = []
        for _ in 0..<count { runs.append(Incarnation(try reader.next(UInt64.self))) }
        return (
            node,
            RunTable.Lives(
                runs: runs, previous: previous, isAlone: (1...3).contains(standing),
                holders: standing < 2 ? .several : standing == 2 ? .newest : .none)
        )
    }

    /// Whether it is alone, and which runs may hold a lease, in one byte.
    fileprivate var standing: UInt8 {
        switch holders {
        case .several: isAlone ? 1 : 0
        case .newest: isAlone ? 2 : 0
        case .none: isAlone ? 3 : 4
        }
    }
}
