/// Three queues after S3-FIFO [1]: most new keys are never asked for again, so they pass through
/// a small queue and leave quickly; who was hit there moves to the main queue.
///
///     new ──▶ small (a tenth) ──hit──▶ main ──hit──▶ main again, one hit less
///                 │                      │
///                 ▼ not hit              ▼ not hit
///              leaves, remembered      leaves
///              as a ghost: coming back, it goes to main at once
///
/// [1] Yang et al., FIFO queues are all you need for cache eviction, SOSP 2023. One hit, not two,
/// promotes here.
final class S3FIFOPolicy: EvictionPolicy {
    /// The small queue's share of all bytes.
    static let smallShare = 0.1

    private var small = EntryQueue()
    private var main = EntryQueue()
    private var ghosts = GhostTable()

    var entryCount: Int { small.count + main.count }

    func admit(_ entry: Entry) {
        if ghosts.take(entry.head.pointee.hash, window: main.count) {
            promote(entry)
        } else {
            small.append(entry)
        }
    }

    func replace(_ old: Entry, with new: Entry) {
        if old.head.pointee.flags.contains(.proven) {
            new.head.pointee.flags.insert(.proven)
            main.replace(old, with: new)
        } else {
            small.replace(old, with: new)
        }
    }

    func remove(_ entry: Entry) {
        if entry.head.pointee.flags.contains(.proven) {
            main.remove(entry)
        } else {
            small.remove(entry)
        }
    }

    func takeVictim() -> Entry? {
        while entryCount > 0 {
            let victim = smallIsTooLarge ? considerSmall() : considerMain()
            if let victim { return victim }
        }
        return nil
    }

    func holds(_ entry: Entry) -> Bool {
        entry.head.pointee.flags.contains(.proven) ? main.holds(entry) : small.holds(entry)
    }

    private var smallIsTooLarge: Bool {
        let total = Double(small.costBytes + main.costBytes)
        return main.count == 0 || Double(small.costBytes) > Self.smallShare * total
    }

    private func considerSmall() -> Entry? {
        guard let entry = small.takeFirst() else { return nil }
        if entry.head.pointee.frequency > 0 {
            entry.head.pointee.frequency = 0
            promote(entry)
            return nil
        }
        ghosts.remember(entry.head.pointee.hash, window: main.count)
        return entry
    }

    private func considerMain() -> Entry? {
        guard let entry = main.takeFirst() else { return nil }
        if entry.head.pointee.frequency > 0 {
            entry.head.pointee.frequency -= 1
            main.append(entry)
            return nil
        }
        return entry
    }

    private func promote(_ entry: Entry) {
        entry.head.pointee.flags.insert(.proven)
        main.append(entry)
    }
}
