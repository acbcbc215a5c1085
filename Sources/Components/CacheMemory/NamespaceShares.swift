/// How many of a limited number of resources each namespace has. None gets another one while it has
/// as many as are free: a namespace that takes all it can leaves half of the free ones to the next.
///
/// Alone a namespace gets half of the limit. Dynamic thresholds: A. Choudhury, E. Hahne, *Dynamic
/// Queue Length Thresholds for Shared-Memory Packet Switches*, 1998, with a factor of one.
///
/// - Complexity: O(1).
struct NamespaceShares {
    private let countMax: Int
    private(set) var count = 0
    /// By number.
    private var counts: [Int] = []

    init(countMax: Int) {
        self.countMax = countMax
    }

    func hasRoom(for namespace: NamespaceNumber) -> Bool {
        self[namespace] < countMax - count
    }

    mutating func add(_ namespace: NamespaceNumber) {
        let index = Int(namespace.rawValue)
        while counts.count <= index { counts.append(0) }
        counts[index] += 1
        count += 1
    }

    mutating func remove(_ namespace: NamespaceNumber) {
        counts[Int(namespace.rawValue)] -= 1
        count -= 1
    }

    /// The namespace's number of them.
    subscript(namespace: NamespaceNumber) -> Int {
        let index = Int(namespace.rawValue)
        return index < counts.count ? counts[index] : 0
    }
}
