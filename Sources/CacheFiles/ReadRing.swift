import CPlatform
import CacheDisk
import Threading
import ZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A ring of the kernel's and the reads that are under way in it. It lives and dies on its thread.
struct ReadRing: ~Copyable {
    /// A read that is under way, and the memory that the kernel fills.
    private struct Slot {
        let ticket: DiskTicket
        let offset: Int
        let memory: UnsafeMutableRawBufferPointer
        var filled = 0
    }

    /// The token of the mailbox's bell; those of slots are above it.
    private static let bellToken: UInt64 = 0

    private let ring: OpaquePointer
    private let file: TierFile
    private var slots: [Slot?]
    private var freeSlots: [Int]
    /// What found no slot yet, oldest last.
    private var waiting: [DiskCommand] = []

    /// - Returns: `nil` if the system has no such ring, or forbids it.
    init?(_ file: TierFile) {
        var opened: OpaquePointer?
        let code = martlet_ring_open(UInt32(CacheFilesLimits.ringEntries), &opened)
        guard code == 0, let opened else { return nil }
        ring = opened
        self.file = file
        slots = Array(repeating: nil, count: CacheFilesLimits.ringReadsMax)
        freeSlots = Array((0..<CacheFilesLimits.ringReadsMax).reversed())
    }

    deinit { martlet_ring_close(ring) }

    private var isIdle: Bool { waiting.isEmpty && freeSlots.count == slots.count }

    /// Reads what letters ask for, until one says it is the last and nothing is under way.
    mutating func serve(
        _ mailbox: Mailbox<RingReaders.Letter>, answer: (DiskCompletion) -> Void
    ) {
        var (isEnding, isWatching) = (false, false)
        while true {
            beginWaiting(answer)
            if isEnding, isIdle { return }
            if !isEnding, !isWatching {
                isWatching = martlet_ring_watch(
                    ring, mailbox.wakeup.descriptor, Self.bellToken)
            }
            let code = martlet_ring_wait(ring)
            precondition(code == 0, "the kernel takes what fits into its ring")
            var (token, outcome): (UInt64, CInt) = (0, 0)
            while martlet_ring_next(ring, &token, &outcome) {
                if token == Self.bellToken {
                    isWatching = false
                    isEnding = open(mailbox.takeAll()) || isEnding
                } else {
                    finish(Int(token) - 1, outcome, answer)
                }
            }
        }
    }

    /// - Returns: whether one of the letters was the last.
    private mutating func open(_ letters: [RingReaders.Letter]) -> Bool {
        var isLast = false
        for letter in letters {
            switch letter {
            case .reads(let commands): waiting.insert(contentsOf: commands.reversed(), at: 0)
            case .end: isLast = true
            }
        }
        return isLast
    }

    /// Begins as many reads as there are slots.
    private mutating func beginWaiting(_ answer: (DiskCompletion) -> Void) {
        while !freeSlots.isEmpty, let command = waiting.popLast() {
            guard case .read(let ticket, let byteCount, let offset) = command else {
                preconditionFailure("what writes is not a ring that reads")
            }
            let fault = file.faults.code(.read)
            guard fault == 0 else {
                answer(DiskCompletion(ticket, .failed(DiskFailure(errorNumber: fault))))
                continue
            }
            guard byteCount > 0 else {
                answer(DiskCompletion(ticket, .read([])))
                continue
            }
            let number = freeSlots.removeLast()
            slots[number] = Slot(
                ticket: ticket, offset: offset,
                memory: .allocate(byteCount: byteCount, alignment: 16))
            request(number)
        }
    }

    /// Asks for what the slot's memory still lacks.
    private func request(_ number: Int) {
        guard let slot = slots[number], let memory = slot.memory.baseAddress else {
            preconditionFailure("what is asked for has a slot with memory")
        }
        let isQueued = martlet_ring_read(
            ring, file.descriptor, memory + slot.filled,
            UInt32(min(slot.memory.count - slot.filled, file.faults.bytesAtOnceMax)),
            Int64(slot.offset + slot.filled), UInt64(number) + 1)
        precondition(isQueued, "the ring has an entry for every slot and one for the bell")
    }

    private mutating func finish(
        _ number: Int, _ outcome: CInt, _ answer: (DiskCompletion) -> Void
    ) {
        guard var slot = slots[number] else {
            preconditionFailure("what ends has a slot")
        }
        if outcome > 0 { slot.filled += Int(outcome) }
        slots[number] = slot
        let isUnfinished = outcome > 0 && slot.filled < slot.memory.count
        if isUnfinished || outcome == -EINTR || outcome == -EAGAIN { return request(number) }
        let read: DiskCompletion.Outcome =
            switch outcome {
            case ..<0: .failed(DiskFailure(errorNumber: -outcome))
            case 0: .failed(.cut)
            default: .read([UInt8](slot.memory))
            }
        slot.memory.deallocate()
        slots[number] = nil
        freeSlots.append(number)
        answer(DiskCompletion(slot.ticket, read))
    }
}
