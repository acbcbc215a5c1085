import CacheDisk

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
