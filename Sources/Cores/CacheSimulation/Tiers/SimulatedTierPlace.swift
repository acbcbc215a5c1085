import CacheDisk

/// The file of the disk tier of one shard of a node. It outlives the runs that use it.
final class SimulatedTierPlace {
    let node: Int
    let shard: Int
    let geometry: DiskGeometry
    /// The whole file; `nil` if there is none. Outdated while the file is open.
    private(set) var image: [UInt8]?
    /// The number of the file: a copy has another number.
    private(set) var imprint: UInt64 = 0
    /// The bytes that survive a loss of power.
    private var durable: [UInt8] = []
    /// Images of earlier times.
    private(set) var copies: [[UInt8]] = []
    /// The storage that has the file open.
    private(set) var storage: SimulatedTierStorage?
    private var fileCount: UInt64 = 0

    var writeFailure: DiskFailure?
    var readFailure: DiskFailure?
    var isSlow = false
    /// What the file system tells, if it is asked at all.
    var freeBytes = Int.max
    var reserveFailure: DiskFailure?
    var releaseFailure: DiskFailure?
    /// Another process has locked the file.
    var isLocked = false

    init(node: Int, shard: Int, geometry: DiskGeometry) {
        (self.node, self.shard, self.geometry) = (node, shard, geometry)
    }

    /// Makes the file anew, of zeros; an existing file keeps its number.
    func makeAnew() {
        if image == nil { imprint = nextImprint() }
        let zeros = [UInt8](repeating: 0, count: geometry.fileBytes)
        (image, durable) = (zeros, zeros)
    }

    private func nextImprint() -> UInt64 {
        fileCount += 1
        return fileCount
    }

    /// - Precondition: there is a file of the right size, and it is not open.
    func open(_ number: Int, by run: Int) -> SimulatedTierStorage {
        guard let image, storage == nil else { preconditionFailure("a file is opened by one") }
        let opened = SimulatedTierStorage(
            number: number, run: run, file: SimulatedTierFile(geometry, image: image))
        storage = opened
        return opened
    }

    /// Everything that was written by now survives a loss of power.
    func synchronize() {
        guard let storage else { return }
        durable = storage.file.image
    }

    func copy() {
        guard let storage else { return }
        copies.append(storage.file.image)
        if copies.count > 4 { copies.removeFirst() }
    }

    /// The process that had the file open is gone; its written bytes stay.
    func release() {
        guard let storage else { return }
        image = storage.file.image
        self.storage = nil
    }

    // MARK: Faults while it is not open

    /// The power was lost: each page holds its synchronized bytes, its later bytes, or the
    /// beginning of the later bytes.
    func losePower(_ dice: inout Dice) {
        guard let written = image, durable.count == written.count else { return }
        var found = durable
        for page in stride(from: 0, to: written.count, by: DiskLimits.pageBytes) {
            let range = page..<min(page + DiskLimits.pageBytes, written.count)
            guard written[range] != durable[range] else { continue }
            let count = dice.pick([0, range.count, 512 * dice.below(range.count / 512 + 1)])
            found.replaceSubrange(page..<page + count, with: written[page..<page + count])
        }
        image = found
    }

    func flip(_ dice: inout Dice) {
        guard let count = image?.count, count > 0 else { return }
        image?[dice.below(count)] ^= 1 << UInt8(dice.below(8))
    }

    func remove() { image = nil }

    func cut(_ dice: inout Dice) {
        guard let count = image?.count, count > 0 else { return }
        image?.removeLast(dice.number(in: 1...count))
    }

    /// Replaces the file by an older copy, which is another file.
    func putBack(_ dice: inout Dice) {
        guard !copies.isEmpty else { return }
        image = dice.pick(copies)
        imprint = nextImprint()
    }
}

/// A disk tier's file that a shard of one run has open, with its writing thread: the counterpart of
/// `FileStorage`.
final class SimulatedTierStorage {
    let number: Int
    /// The run that has it open.
    let run: Int
    let file: SimulatedTierFile
    /// Pending writes and synchronizations, oldest first.
    var writes: [DiskCommand] = []
    /// Pending reads, executed in any order.
    var reads: [DiskCommand] = []
    var isWriting = false
    /// Completions that the shard has not received yet.
    var completions: [DiskCompletion] = []

    init(number: Int, run: Int, file: SimulatedTierFile) {
        (self.number, self.run, self.file) = (number, run, file)
    }

    func takeRead(_ ticket: DiskTicket) -> DiskCommand? {
        reads.firstIndex { $0.ticket == ticket }.map { reads.remove(at: $0) }
    }

    /// Executes all pending commands.
    func drain() {
        for command in writes { _ = file.carryOut(command) }
        (writes, reads, completions) = ([], [], [])
    }
}
