import CacheModel

/// The verdict of time and floors on an entry.
extension FloorTable {
    /// Checks the entry against time and every floor, and records the check. A soft entry, and a
    /// withheld one, is checked against the floors each time.
    func check(_ entry: Entry, now: Instant) -> MemoryTier.Standing {
        let isSoft = entry.flags.contains(.soft)
        if isSoft || entry.checkedAt != ordinal, guards.isOn(.floorCheck) {
            let verdict = judge(entry)
            if verdict.isInvalidated {
                guard entry.isOnTerms, !guards.isOn(.hardWindows) else {
                    return .over(.invalidated)
                }
                entry.soften(since: now)
            }
            if entry.gone <= EntryEnd(now) { return .over(.expired) }
            // Also for a hidden entry: it may become visible again long after that floor is
            // retired.
            if let moment = verdict.softSince { entry.soften(since: moment) }
            if verdict.isOwnerUnknown { return withheld(entry, orOver: .invalidated) }
            if verdict.isQuarantined || entry.flags.contains(.withheld) {
                let standing = quarantined(entry)
                guard standing == .visible else { return standing }
            }
            if !entry.flags.contains(.soft) { entry.checkedAt = ordinal }
        }
        let current = EntryEnd(now)
        if entry.end > current { return .visible }
        return entry.gone > current ? .withheld : .over(.expired)
    }

    /// The verdict on an entry under quarantine.
    private func quarantined(_ entry: Entry) -> MemoryTier.Standing {
        if !entry.flags.contains(.withheld) {
            let names = tags.names
            switch quarantine.mercy(for: entry, tagNames: names, guards: guards) {
            case .pending: return guards.isOn(.pendingQuarantine) ? .withheld : .visible
            case .shown:
                entry.fill = quarantine.stamp
                return .visible
            case .none: break
            }
        }
        return withheld(entry, orOver: .forgotten)
    }

    /// Keeps an entry hidden until the origin has confirmed it, if it can be revalidated.
    private func withheld(_ entry: Entry, orOver cause: RemovalCause) -> MemoryTier.Standing {
        guard entry.isRenewable else { return .over(cause) }
        if guards.isOn(.withheldMark) { entry.flags.insert(.withheld) }
        if !entry.flags.contains(.soft) { entry.checkedAt = .never }
        return .withheld
    }
}
