import CacheInvalidation
import CacheModel

/// The floors of the log, stored beside it: the counterpart of `FloorsRecall`.
extension SimulatedDisk {
    /// The floors of the records before the start, from the saved floors and the log after them. If
    /// the saved ones are of another log or epoch, or end before the kept records, from all kept
    /// records.
    func recalledFloors() -> FloorSnapshot? {
        guard let recall else { return nil }
        let nothing = FloorSnapshot(of: recall.log, at: recall.target, isCertain: false)
        for beginning in [saved(for: recall), fromTheTail(of: recall)] {
            guard var floors = beginning else { continue }
            while floors.asOf.position < recall.target.position, note(in: &floors, recall) {}
            if floors.asOf == recall.target { return floors }
        }
        return nothing
    }

    private func saved(for recall: Recall) -> FloorSnapshot? {
        guard var floors = contents.floors, floors.log == recall.log,
            floors.asOf.position.epoch == recall.target.position.epoch,
            floors.asOf.position <= recall.target.position
        else { return nil }
        if !recall.isCertain { floors.becomeUncertain() }
        return floors
    }

    private func fromTheTail(of recall: Recall) -> FloorSnapshot? {
        guard let base = base(of: recall.log, recall.target.position.epoch),
            base.position <= recall.target.position
        else { return nil }
        return FloorSnapshot(of: recall.log, at: base, isCertain: false)
    }

    /// Adds the next records of the log.
    ///
    /// - Returns: `false` if no record follows.
    private func note(in floors: inout FloorSnapshot, _ recall: Recall) -> Bool {
        let position = floors.asOf.position
        let next = records(of: recall.log, position.epoch, after: position.sequence)
            .prefix { $0.position <= recall.target.position }
        guard let first = next.first, first.record.previousDigest == floors.asOf.digest,
            first.position.directlyFollows(position)
        else { return false }
        for record in next { floors.note(record) }
        return true
    }
}
