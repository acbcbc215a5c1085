import CacheModel
import DequeModule

/// The newest records of a log, as they were encoded, packed into pieces of a few pages.
///
/// A record by itself is several small pieces of memory, and takes seven times as much of it as its
/// bytes. Kept for long between others that come and go with every message, each of them holds a
/// page that cannot be given back, and the process grows: by 4 MiB a minute in a soak. Packed,
/// they leave together.
///
///     slabs:  [····|r r r r]  [r r r r r r]  [r r r ·······]
///              dropped                         room
///
/// - Complexity: O(1), amortised, to append and to drop; O(log slabs) to find one.
struct RecordWindow: Sendable {
    /// Records that follow each other.
    private struct Slab {
        /// How many records were appended before its first one.
        let first: Int
        var bytes: [UInt8] = []
        /// Where each record ends in `bytes`.
        var ends: [UInt32] = []

        var isFull: Bool {
            bytes.count >= InvalidationLimits.slabBytes
                || ends.count >= InvalidationLimits.slabRecordsMax
        }

        func place(of index: Int) -> Range<Int> {
            Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
        }
    }

    private var slabs: Deque<Slab> = []
    /// Records that were ever appended, and those of them that were dropped.
    private var appendedCount = 0
    private var droppedCount = 0
    /// Encoded bytes of what is kept; what a slab holds besides is less than a slab.
    private(set) var byteCount = 0

    var count: Int { appendedCount - droppedCount }

    mutating func append(_ encoded: [UInt8]) {
        if slabs.last?.isFull ?? true {
            var slab = Slab(first: appendedCount)
            // Many logs are short. One that has filled a slab fills another.
            if !slabs.isEmpty {
                slab.bytes.reserveCapacity(InvalidationLimits.slabBytes + encoded.count)
            }
            slabs.append(slab)
        }
        let last = slabs.count - 1
        slabs[last].bytes.append(contentsOf: encoded)
        slabs[last].ends.append(UInt32(slabs[last].bytes.count))
        appendedCount += 1
        byteCount += encoded.count
    }

    /// Drops the oldest record.
    ///
    /// - Precondition: there is one.
    mutating func removeFirst() {
        precondition(count > 0, "what is empty has no oldest record")
        let slab = slabs[0]
        byteCount -= slab.place(of: droppedCount - slab.first).count
        droppedCount += 1
        if droppedCount == slab.first + slab.ends.count { slabs.removeFirst() }
    }

    mutating func removeAll() { self = RecordWindow() }

    /// Calls `body` with the bytes of records from `index` on, counted from the oldest, until it
    /// says that it wants no more.
    func forEach(from index: Int, _ body: (UnsafeRawBufferPointer) -> Bool) {
        var next = droppedCount + index
        var number = slab(with: next)
        while number < slabs.count {
            let slab = slabs[number]
            let goesOn = slab.bytes.withUnsafeBytes { bytes in
                while next < slab.first + slab.ends.count {
                    let place = slab.place(of: next - slab.first)
                    guard body(UnsafeRawBufferPointer(rebasing: bytes[place])) else { return false }
                    next += 1
                }
                return true
            }
            guard goesOn else { return }
            number += 1
        }
    }

    /// The slab that holds the record with this many before it, or the one after the last.
    private func slab(with number: Int) -> Int {
        var (low, high) = (0, slabs.count)
        while low < high {
            let middle = (low + high) / 2
            let slab = slabs[middle]
            if slab.first + slab.ends.count <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
