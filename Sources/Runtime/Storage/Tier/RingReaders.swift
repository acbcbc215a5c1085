import CPlatform
import CacheDisk
import ZeroMQ
import LibC

/// A ring of the kernel's, which the shard's own thread feeds and empties. Threads of the kernel's
/// read; what they have read rings the bell that the shard's poller watches.
///
/// Nothing here waits but ``end()``, whatever the device does.
final class RingReaders: DiskReaders {
    /// A read that is under way, and the memory that the kernel fills.
    private struct Slot {
        let ticket: DiskTicket
        let offset: Int
        let memory: UnsafeMutableRawBufferPointer
        var filled = 0
    }

    private let ring: OpaquePointer
    private let file: TierFile
    private let bell: Wakeup
    private var slots: [Slot?]
    private var freeSlots: [Int]
    /// What found no slot yet, oldest last.
    private var waiting: [DiskCommand] = []
    /// Whether the kernel was told how many threads may read. They belong to the thread that
    /// submits, which is not the one that opened the ring.
    private var isLimited = false
    /// What has been done and not been taken.
    private var done: [DiskCompletion] = []

    /// - Returns: `nil` if the system has no such ring, or forbids it.
    init?(_ file: TierFile, bell: Wakeup) {
        var opened: OpaquePointer?
        let code = martlet_ring_open(UInt32(CacheFilesLimits.ringEntries), &opened)
        guard code == 0, let opened else { return nil }
        guard martlet_ring_signal(opened, bell.descriptor) == 0 else {
            martlet_ring_close(opened)
            return nil
        }
        ring = opened
        self.file = file
        self.bell = bell
        slots = Array(repeating: nil, count: CacheFilesLimits.ringReadsMax)
        freeSlots = Array((0..<CacheFilesLimits.ringReadsMax).reversed())
    }

    deinit { martlet_ring_close(ring) }

    private var isIdle: Bool { waiting.isEmpty && freeSlots.count == slots.count }

    func add(_ commands: [DiskCommand]) {
        waiting.insert(contentsOf: commands.reversed(), at: 0)
        if !isLimited {
            isLimited = true
            // A kernel that does not know it has as many as it thinks right.
            _ = martlet_ring_limit(ring, UInt32(CacheFilesLimits.readersUsual))
        }
        begin()
    }

    /// What has been read, or could not be, since this was called last.
    func takeCompletions() -> [DiskCompletion] {
        finishAll()
        begin()
        defer { done = [] }
        return done
    }

    func end() {
        begin()
        while !isIdle {
            let code = martlet_ring_wait(ring)
            precondition(code == 0, "the kernel takes what fits into its ring")
            finishAll()
            begin()
        }
    }

    /// Begins as many reads as there are slots.
    private func begin() {
        while !freeSlots.isEmpty, let command = waiting.popLast() {
            guard case .read(let ticket, let byteCount, let offset) = command else {
                preconditionFailure("what writes is not a ring that reads")
            }
            let fault = file.faults.code(.read)
            guard fault == 0 else {
                tell(DiskCompletion(ticket, .failed(DiskFailure(errorNumber: fault))))
                continue
            }
            guard byteCount > 0 else {
                tell(DiskCompletion(ticket, .read([])))
                continue
            }
            let number = freeSlots.removeLast()
            slots[number] = Slot(
                ticket: ticket, offset: offset,
                memory: .allocate(byteCount: byteCount, alignment: 16))
            request(number)
        }
        let code = martlet_ring_submit(ring)
        precondition(code == 0 || code == EAGAIN, "the kernel takes what fits into its ring")
        // The kernel is short of something. The next look for completions tries again.
        if code == EAGAIN { bell.signal() }
    }

    /// Tells what no kernel will ring the bell for.
    private func tell(_ completion: DiskCompletion) {
        done.append(completion)
        bell.signal()
    }

    /// Asks for what the slot's memory still lacks.
    private func request(_ number: Int) {
        guard let slot = slots[number], let memory = slot.memory.baseAddress else {
            preconditionFailure("what is asked for has a slot with memory")
        }
        let isQueued = martlet_ring_read(
            ring, file.descriptor, memory + slot.filled,
            UInt32(min(slot.memory.count - slot.filled, file.faults.bytesAtOnceMax)),
            Int64(slot.offset + slot.filled), UInt64(number))
        precondition(isQueued, "the ring has an entry for every slot")
    }

    private func finishAll() {
        var (token, outcome): (UInt64, CInt) = (0, 0)
        while martlet_ring_next(ring, &token, &outcome) { finish(Int(token), outcome) }
    }

    private func finish(_ number: Int, _ outcome: CInt) {
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
        done.append(DiskCompletion(slot.ticket, read))
    }
}
