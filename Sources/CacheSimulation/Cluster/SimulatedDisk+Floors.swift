import CacheInvalidation
import CacheModel

/// What the log has touched, kept beside it: what `FloorsRecall` does on files.
extension SimulatedDisk {
    /// What the records before the start have touched: from what was saved and from the log after
    /// it; if that is of another life, or ends before what is kept, from all that is kept.
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

    /// Takes over what the log says next.
    ///
    /// - Returns: `false` where it says nothing that follows.
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
