import CacheModel

/// What was filled while the history is unknown: everything below a stamp.
///
/// It is *pending* while somebody may still tell what was touched, and then settled: with an
/// amnesty, or without.
struct Quarantine {
    /// What becomes of an entry that was filled below it.
    enum Mercy {
        /// Nobody knows yet.
        case pending
        case shown
        case none
    }

    /// Nothing below it is known; ``FillStamp/none`` where there is no quarantine.
    private(set) var stamp = FillStamp.none
    /// The table's ordinal when it rose, or was settled, last.
    var raisedAt = FloorOrdinal.never
    private(set) var isPending = false
    private var amnesty: Amnesty?
    /// What was filled below it nobody will ever vouch for but the origin.
    private var sparedFrom = FillStamp.none

    mutating func raise(to stamp: FillStamp, at ordinal: FloorOrdinal, isPending: Bool) {
        // Who asks about an older one is told nothing of this.
        amnesty = nil
        self.isPending = isPending
        self.stamp = max(self.stamp, stamp)
        if !isPending { sparedFrom = max(sparedFrom, stamp) }
        raisedAt = ordinal
    }

    mutating func settle(_ amnesty: Amnesty?, at ordinal: FloorOrdinal) {
        isPending = false
        self.amnesty = amnesty
        raisedAt = ordinal
    }

    /// Drops it: every entry was held against it.
    mutating func retire() {
        stamp = .none
        amnesty = nil
    }

    /// Only what was filled in the history that was left last can be spared: of an earlier one
    /// nobody has told.
    func mercy(
        for entry: Entry, tagNames: UnsafePointer<UnsafeRawBufferPointer>, guards: Guards
    ) -> Mercy {
        guard entry.fill.epochOrdinal &+ 1 == stamp.epochOrdinal || !guards.isOn(.lastLife)
        else { return .none }
        guard entry.fill >= sparedFrom else { return .none }
        if isPending { return .pending }
        guard let amnesty, amnesty.covers(entry, tagNames: tagNames) else { return .none }
        return .shown
    }
}
