import CacheModel

@testable import CacheDisk

/// A tier in a test's hands, over a file that is an array: commands wait until the test has them
/// carried out, and the file can be looked at as it would be after kill -9 at any moment.
struct DiskBench: ~Copyable {
    static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 512, segmentBytes: 4_096,
            segmentCount: 6)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()
    static let checkpoint = Checkpoint(
        log: LogID(7),
        mark: LogMark(
            position: LogPosition(epoch: Epoch(3), sequence: SequenceNumber(40)),
            digest: LogDigest(11)), floors: [1, 2, 3])

    let geometry: DiskGeometry
    let tail: UnsafeMutableRawBufferPointer
    var file: [UInt8]
    var tier: DiskTier
    /// Fails the next writes.
    var writeFailure: DiskFailure?
    /// Fails the next synchronizations.
    var synchronizationFailure: DiskFailure?
    /// Fails the next calls that would give room back, or get it again.
    var releaseFailure: DiskFailure?
    var reserveFailure: DiskFailure?
    private(set) var releaseCount = 0
    /// Where parts of the file begin that have no room.
    var holes: Set<Int> = []
    /// A part of the file that takes no writes.
    var unwritable: Range<Int>?
    /// A part of the file that cannot be read.
    var unreadable: Range<Int>?
    /// Whether reads are carried out before the writes that were commanded earlier.
    var readsOvertake = false
    /// Bits that are flipped in the first byte of what is read next.
    var readDamage: UInt8 = 0

    var queue: [DiskCommand] {
        get { tier.commands }
        set { tier.commands = newValue }
    }
    var news: [DiskNews] {
        get { tier.news }
        set { tier.news = newValue }
    }

    static let machine = TierMachineFacts(
        boot: BootID(high: 1, low: 2), calendar: 1_000_000, file: 5, birth: 6)

    static func superblock(_ geometry: DiskGeometry = geometry) -> Superblock {
        guard let node = NodeID("n1") else { preconditionFailure("n1 is a name") }
        let owner = TierOwner(
            node: node, shard: 0, of: 1, machine: machine, geometry: geometry)
        return Superblock(for: owner, tier: 0xABCD, incarnation: 5)
    }

    static let failure = DiskFailure.device("Input/output error")

    /// A new tier.
    ///
    /// - Parameters:
    ///   - rule: the space that it leaves free.
    ///   - segmentCount: how many segments have room; `nil` for all.
    init(
        _ geometry: DiskGeometry = geometry, unwritable: Range<Int>? = nil,
        rule: DiskSpaceRule? = nil, withRoomFor segmentCount: Int? = nil
    ) {
        self.geometry = geometry
        file = Array(repeating: 0, count: geometry.fileBytes)
        tail = Self.tail(geometry, file)
        tier = DiskTier(Self.superblock(geometry), tail: tail)
        tier.spaceRule = rule
        tier.beginAnew(Self.checkpoint, withRoomFor: segmentCount)
        for place in (segmentCount ?? geometry.segmentCount)..<geometry.segmentCount {
            holes.insert(geometry.releasable(place).lowerBound)
        }
        self.unwritable = unwritable
        settle()
    }

    /// A tier that goes on with what an earlier one left.
    init(
        recovering image: [UInt8], _ geometry: DiskGeometry = geometry,
        rule: DiskSpaceRule? = nil, holes: Set<Int> = []
    ) {
        self.geometry = geometry
        file = image
        tail = Self.tail(geometry, file)
        tier = DiskTier(Self.superblock(geometry), tail: tail)
        tier.spaceRule = rule
        self.holes = holes
        tier.beginRecovery()
    }

    deinit { tail.deallocate() }

    private static func tail(
        _ geometry: DiskGeometry, _ file: [UInt8]
    ) -> UnsafeMutableRawBufferPointer {
        let tail = UnsafeMutableRawBufferPointer.allocate(
            byteCount: geometry.tailBytes, alignment: 64)
        let from = geometry.tailOffset
        file.withUnsafeBytes {
            tail.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: $0[from..<from + geometry.tailBytes]))
        }
        return tail
    }

    // MARK: The disk

    /// The file as a process finds it that starts after this one was killed now.
    var image: [UInt8] {
        var image = file
        Self.copy(UnsafeRawBufferPointer(tail), into: &image, at: geometry.tailOffset)
        return image
    }

    /// Replaces bytes by as many others. In a debug build replaceSubrange(_:with:) does that one
    /// by one.
    private static func copy(
        _ source: UnsafeRawBufferPointer, into bytes: inout [UInt8], at offset: Int
    ) {
        bytes.withUnsafeMutableBytes {
            let place = UnsafeMutableRawBufferPointer(
                rebasing: $0[offset..<offset + source.count])
            place.copyMemory(from: source)
        }
    }

    /// A part of ``image``.
    private func read(_ range: Range<Int>) -> [UInt8] {
        var bytes = Array(file[range])
        let ofTail = geometry.tailOffset..<geometry.tailOffset + geometry.tailBytes
        let shared = range.clamped(to: ofTail)
        if !shared.isEmpty {
            let from = shared.lowerBound - ofTail.lowerBound
            let part = UnsafeRawBufferPointer(rebasing: tail[from..<from + shared.count])
            Self.copy(part, into: &bytes, at: shared.lowerBound - range.lowerBound)
        }
        return bytes
    }

    /// What a process finds that starts after this one was killed now, with everything done that
    /// it does on its own.
    var killed: DiskBench {
        var bench = DiskBench(
            recovering: image, geometry, rule: tier.spaceRule, holes: holes)
        bench.settle()
        return bench
    }

    /// Where the newest segment lies in the file.
    var newestSegment: Range<Int> {
        let from = tier.log.fileOffset(tier.log.active, 0)
        return from..<from + geometry.segmentBytes
    }

    /// Where the slot of the tail lies that is open.
    var openSlot: Range<Int> {
        guard let slot = tier.log.tail.open else { preconditionFailure("a slot is open") }
        let bytes = tier.log.tail.slotBytes
        let from = geometry.tailOffset + DiskLimits.pageBytes + slot * bytes
        return from..<from + bytes
    }

    /// Where the newest record's last byte lies in the tail.
    var lastByte: Int {
        guard let slot = tier.log.tail.open else { preconditionFailure("a slot is open") }
        return openSlot.lowerBound + TailSlot.headBytes + tier.log.tail.slots[slot].count - 1
    }

    /// Carries out the oldest command.
    ///
    /// - Returns: whether there was one.
    mutating func step() -> Bool {
        guard !queue.isEmpty else { return false }
        let overtaking = readsOvertake ? queue.firstIndex { $0.isRead } : nil
        let command = queue.remove(at: overtaking ?? 0)
        let completion = DiskCompletion(command.ticket, outcome(of: command))
        tier.completed(completion)
        return true
    }

    private mutating func outcome(of command: DiskCommand) -> DiskCompletion.Outcome {
        switch command {
        case .write(_, let bytes, let offset):
            if let writeFailure { return .failed(writeFailure) }
            precondition(
                holes.allSatisfy {
                    !($0..<$0 + geometry.segmentBytes - DiskGeometry.keptBytes)
                        .overlaps(offset..<offset + bytes.count)
                }, "nothing is written where there is no room")
            if unwritable?.overlaps(offset..<offset + bytes.count) == true {
                return .failed(Self.failure)
            }
            switch bytes {
            case .tail(let range):
                let part = UnsafeRawBufferPointer(rebasing: tail[range])
                Self.copy(part, into: &file, at: offset)
            case .owned(let bytes):
                bytes.withUnsafeBytes { Self.copy($0, into: &file, at: offset) }
            }
            return .done
        case .read(_, let byteCount, let offset):
            precondition(byteCount > 0, "a read is of something")
            if unreadable?.overlaps(offset..<offset + byteCount) == true {
                return .failed(Self.failure)
            }
            var bytes = read(offset..<offset + byteCount)
            bytes[0] ^= readDamage
            return .read(bytes)
        case .synchronize: return synchronizationFailure.map { .failed($0) } ?? .done
        case .release(_, let byteCount, let offset):
            releaseCount += 1
            if let releaseFailure {
                // A part may have been released.
                if releaseFailure != .unsupported { holes.insert(offset) }
                return .failed(releaseFailure)
            }
            let zeros = [UInt8](repeating: 0, count: byteCount)
            zeros.withUnsafeBytes { Self.copy($0, into: &file, at: offset) }
            holes.insert(offset)
            return .done
        case .reserve(_, _, let offset):
            if let reserveFailure { return .failed(reserveFailure) }
            holes.remove(offset)
            return .done
        }
    }

    /// Everything that is to be done, until there is nothing more.
    mutating func settle() {
        repeat {
            while step() {}
            tier.tick()
        } while !queue.isEmpty || tier.hasDueWork
    }

    // MARK: Keys

    func fingerprint(_ key: String, in namespace: String = "") -> Fingerprint {
        Array(key.utf8).withUnsafeBytes { key in
            Array(namespace.utf8).withUnsafeBytes { namespace in
                tier.hasher.fingerprint(of: key, in: namespace)
            }
        }
    }

    @discardableResult
    mutating func set(
        _ key: String, _ value: String, in namespace: String = "", until expiry: UInt64? = nil
    ) -> ShedCause? {
        let fingerprint = fingerprint(key, in: namespace)
        let name = Array(namespace.utf8)
        return Array(key.utf8).withUnsafeBytes { keyBytes in
            Array(value.utf8).withUnsafeBytes { valueBytes in
                name.withUnsafeBytes { nameBytes in
                    var entry = DiskEntry(key: keyBytes, value: valueBytes)
                    entry.namespace = nameBytes
                    entry.expires = expiry.map { TierTime(milliseconds: $0) }
                    return tier.append(entry, fingerprint)
                }
            }
        }
    }

    mutating func remove(_ key: String, in namespace: String = "") {
        tier.remove(fingerprint(key, in: namespace))
    }

    /// The value of a key, with everything carried out that it takes.
    mutating func get(_ key: String, in namespace: String = "") -> String? {
        switch tier.find(fingerprint(key, in: namespace)) {
        case .absent, .shed: return nil
        case .resident(let record): return Self.value(of: record, key)
        case .reading(let ticket):
            while step() {
                if let answer = answer(to: ticket) {
                    return answer.flatMap { Self.value(of: $0, key) }
                }
            }
            preconditionFailure("a read is answered")
        }
    }

    /// What the news say of a read; `nil` if nothing yet.
    mutating func answer(to ticket: DiskTicket) -> FoundRecord?? {
        for (index, one) in news.enumerated() {
            switch one {
            case .found(ticket, let record):
                news.remove(at: index)
                return .some(record)
            case .notFound(ticket, _):
                news.remove(at: index)
                return .some(nil)
            default: continue
            }
        }
        return nil
    }

    static func value(of record: FoundRecord, _ key: String) -> String? {
        record.withEntry { entry in
            entry.key.elementsEqual(key.utf8) ? String(decoding: entry.value, as: UTF8.self) : nil
        } ?? nil
    }

    var recovered: RecoveredTier? {
        for case .recovered(let recovered) in news { return recovered }
        return nil
    }

    var unusable: UnusableCause? {
        for case .unusable(let cause) in news { return cause }
        return nil
    }
}

extension DiskCommand {
    var isRead: Bool {
        if case .read = self { true } else { false }
    }
}
