import CacheModel

/// Entries filled while the history is unknown: all below a stamp.
///
/// It is *pending* while the touched scopes may still become known, and then settled: with an
/// amnesty, or without.
struct Quarantine {
    /// The verdict on an entry filled below it.
    enum Mercy {
        /// Not known yet.
        case pending
        case shown
        case none
    }

    /// The history below it is unknown; ``FillStamp/none`` without a quarantine.
    private(set) var stamp = FillStamp.none
    /// The table's ordinal when it last rose, or was settled.
    var raisedAt = FloorOrdinal.never
    private(set) var isPending = false
    private var amnesty: Amnesty?
    /// Entries filled below it can only be confirmed by the origin.
    private var sparedFrom = FillStamp.none

    mutating func raise(to stamp: FillStamp, at ordinal: FloorOrdinal, isPending: Bool) {
        // The amnesty does not apply to older entries.
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

    /// Drops it: every entry was checked against it.
    mutating func retire() {
        stamp = .none
        amnesty = nil
    }

    /// Only entries filled in the history that was last left can be spared: for an earlier one
    /// there is no amnesty.
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
