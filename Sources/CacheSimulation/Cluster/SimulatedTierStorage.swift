import CacheDisk

/// A disk tier's file that a shard of one run has open, with the thread that writes it: what
/// `FileStorage` is on files.
final class SimulatedTierStorage {
    let number: Int
    /// Which run has it open.
    let run: Int
    let file: SimulatedTierFile
    /// What is to be written and synchronized, oldest first.
    var writes: [DiskCommand] = []
    /// What is to be read, in any order.
    var reads: [DiskCommand] = []
    var isWriting = false
    /// What was carried out and the shard has not heard of yet.
    var completions: [DiskCompletion] = []

    init(number: Int, run: Int, file: SimulatedTierFile) {
        (self.number, self.run, self.file) = (number, run, file)
    }

    func takeRead(_ ticket: DiskTicket) -> DiskCommand? {
        reads.firstIndex { $0.ticket == ticket }.map { reads.remove(at: $0) }
    }

    /// Carries everything out that was begun.
    func drain() {
        for command in writes { _ = file.carryOut(command) }
        (writes, reads, completions) = ([], [], [])
    }
}
