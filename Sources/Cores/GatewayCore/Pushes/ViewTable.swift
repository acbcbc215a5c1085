import CacheAccess
import CacheModel

/// The views of all subscribers, and the views that see a part of a record.
///
/// A view belongs to a set of patterns, not to a token: thousands of tokens with the same rights
/// share one. Views are found by the scopes of their patterns, as subscribers are by their
/// interests, so that a record is not compared with the others.
///
/// - Complexity: of the index, for each scope, and the views found.
struct ViewTable: Sendable {
    /// The first sees everything.
    private var views = [View(of: nil)]
    private var places: [AccessEntry.Visibility: Int] = [:]
    private var free: [Int] = []
    /// From scopes to views. Those of a pattern that spans namespaces are its ``everything``.
    private var index = InterestIndex()

    /// How many there are, free ones included.
    var count: Int { views.count }

    subscript(place: Int) -> View { views[place] }

    /// Adds a subscriber.
    ///
    /// - Parameter entry: limits the view; `nil` shows everything.
    /// - Returns: the index of its view.
    mutating func insert(
        _ interests: [Interest], _ slot: Int, for entry: AccessEntry?
    ) -> Int {
        let place = entry.map { self.place(of: $0) } ?? 0
        views[place].insert(interests, slot)
        return place
    }

    /// - Precondition: it was inserted.
    mutating func remove(_ interests: [Interest], _ slot: Int, from place: Int) {
        views[place].remove(interests, slot)
        guard views[place].count == 0, let entry = views[place].entry else { return }
        let visibility = entry.visibility
        index.remove(Self.interests(of: visibility), place)
        places[visibility] = nil
        views[place] = View(of: nil)
        free.append(place)
    }

    private mutating func place(of entry: AccessEntry) -> Int {
        let visibility = entry.visibility
        if let known = places[visibility] { return known }
        let place = free.popLast() ?? views.count
        if place == views.count { views.append(View(of: nil)) }
        views[place] = View(of: entry)
        places[visibility] = place
        index.insert(Self.interests(of: visibility), place)
        return place
    }

    /// The patterns as interests. A view without patterns is shown records about everything, as any
    /// other.
    private static func interests(of visibility: AccessEntry.Visibility) -> [Interest] {
        guard !visibility.patterns.isEmpty else { return [.everything] }
        return visibility.patterns.map { $0.scope?.target ?? .everything }
    }

    /// The views that may show a part of a record with these scopes, in the order of their indices.
    /// One of them may show nothing of it; none is missing.
    func seeing(_ scopes: [Scope]) -> [Int] {
        var found = index.everything
        for scope in scopes { index.touched(by: scope, into: &found) }
        let places = views[0].count > 0 ? [0] + found : found
        return places.count > 1 ? Set(places).sorted() : places
    }
}

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
