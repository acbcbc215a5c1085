import CacheDisk

/// Where the disk tier of one shard of a node lies. What lies there outlives the runs that use it.
final class SimulatedTierPlace {
    let node: Int
    let shard: Int
    let geometry: DiskGeometry
    /// All of the file; `nil` if there is none. Old while somebody has it open.
    private(set) var image: [UInt8]?
    /// Which file it is: a copy has another number.
    private(set) var imprint: UInt64 = 0
    /// What is sure to be there after the power was lost.
    private var durable: [UInt8] = []
    /// What lay there at earlier times.
    private(set) var copies: [[UInt8]] = []
    /// Who has it open.
    private(set) var storage: SimulatedTierStorage?
    private var fileCount: UInt64 = 0

    var writeFailure: DiskFailure?
    var readFailure: DiskFailure?
    var isSlow = false
    /// Somebody else has locked it.
    var isLocked = false

    init(node: Int, shard: Int, geometry: DiskGeometry) {
        (self.node, self.shard, self.geometry) = (node, shard, geometry)
    }

    /// Makes the file anew, of zeros; one that is there keeps its number.
    func makeAnew() {
        if image == nil { imprint = nextImprint() }
        let zeros = [UInt8](repeating: 0, count: geometry.fileBytes)
        (image, durable) = (zeros, zeros)
    }

    private func nextImprint() -> UInt64 {
        fileCount += 1
        return fileCount
    }

    /// - Precondition: there is a file of the right size, and nobody has it open.
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

    /// Who had it open is gone; what was written is there.
    func release() {
        guard let storage else { return }
        image = storage.file.image
        self.storage = nil
    }

    // MARK: What befalls it while nobody has it open

    /// The power was lost: of each page there is what was synchronized, or what came after it, or
    /// the beginning of that.
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

    /// An older copy takes its place: another file, with what lay there then.
    func putBack(_ dice: inout Dice) {
        guard !copies.isEmpty else { return }
        image = dice.pick(copies)
        imprint = nextImprint()
    }
}
