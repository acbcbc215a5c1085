import CacheAccess
import CacheModel

/// The subscribers that see the same part of each record.
struct View: Sendable {
    /// Readers of one record that are sent the same message.
    struct Group: Hashable {
        /// The indices of the visible scopes that concern them, in order.
        let scopes: [Int]
        let slots: [Int]
    }

    /// `nil` sees everything.
    let entry: AccessEntry?
    var count = 0
    private var index = InterestIndex()

    init(of entry: AccessEntry?) { self.entry = entry }

    func shown(of scopes: [Scope]) -> [Scope] { entry?.visible(of: scopes) ?? scopes }

    mutating func insert(_ interests: [Interest], _ slot: Int) {
        count += 1
        index.insert(interests, slot)
    }

    mutating func remove(_ interests: [Interest], _ slot: Int) {
        count -= 1
        index.remove(interests, slot)
    }

    /// Groups the subscribers by the scopes that concern them: each subscriber once.
    ///
    /// - Complexity: of the index, for each scope; with one scope nothing more.
    func groups(for shown: [Scope]) -> [Group] {
        guard !shown.isEmpty else { return [] }
        var groups: [Group] = []
        var found: [Int] = []
        if shown.count == 1 {
            index.touched(by: shown[0], into: &found)
            let slots = Self.distinct(index.everything + found)
            return slots.isEmpty ? [] : [Group(scopes: [0], slots: slots)]
        }
        let whole = Self.distinct(index.everything)
        if !whole.isEmpty { groups.append(Group(scopes: Array(shown.indices), slots: whole)) }
        return groups + parts(of: shown, except: Set(whole))
    }

    private func parts(of shown: [Scope], except whole: Set<Int>) -> [Group] {
        var scopes: [Int: [Int]] = [:]
        var order: [Int] = []
        var found: [Int] = []
        for place in shown.indices {
            found.removeAll(keepingCapacity: true)
            index.touched(by: shown[place], into: &found)
            for slot in found where !whole.contains(slot) {
                if scopes[slot] == nil { order.append(slot) }
                if scopes[slot]?.last != place { scopes[slot, default: []].append(place) }
            }
        }
        var slots: [[Int]: [Int]] = [:]
        var kinds: [[Int]] = []
        for slot in order {
            guard let key = scopes[slot] else { continue }
            if slots[key] == nil { kinds.append(key) }
            slots[key, default: []].append(slot)
        }
        return kinds.map { Group(scopes: $0, slots: slots[$0] ?? []) }
    }

    /// In the order in which they come first.
    private static func distinct(_ slots: [Int]) -> [Int] {
        guard slots.count > 1 else { return slots }
        var seen: Set<Int> = []
        return slots.filter { seen.insert($0).inserted }
    }
}
