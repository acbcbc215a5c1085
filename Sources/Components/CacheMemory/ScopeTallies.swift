/// Counts of one namespace.
private struct NamespaceTally {
    /// Entries that an invalidation may still hide.
    var shown = ScopeTally()
    /// All resident entries.
    var entryCount = 0
    var bytes = 0
}

/// Counts of entries per namespace, and so of all. ``TagTable`` has those of tags.
struct ScopeTallies: ~Copyable {
    /// No entry was ever filled above it.
    private(set) var highestFill = FillStamp.none
    /// By the number of the namespace; raw memory, because every store changes one.
    private var namespaces: UnsafeMutablePointer<NamespaceTally>
    private var count = 1

    init() {
        namespaces = .allocate(capacity: 1)
        namespaces.initialize(to: NamespaceTally())
    }

    deinit {
        namespaces.deallocate()
    }

    @inline(__always)
    mutating func add(_ fill: FillStamp, _ namespace: NamespaceNumber, bytes: Int) {
        highestFill = max(highestFill, fill)
        let index = Int(namespace.rawValue)
        if index >= count { grow(toHold: index) }
        namespaces[index].entryCount &+= 1
        namespaces[index].bytes &+= bytes
        namespaces[index].shown.add(fill, bytes: bytes)
    }

    /// - Precondition: the entry was added.
    @inline(__always)
    mutating func subtract(_ fill: FillStamp, _ namespace: NamespaceNumber, bytes: Int) {
        let index = Int(namespace.rawValue)
        precondition(index < count, "what leaves a namespace came into it")
        namespaces[index].entryCount &-= 1
        namespaces[index].bytes &-= bytes
        namespaces[index].shown.subtract(fill, bytes: bytes)
    }

    /// An entry was renewed with this fill.
    mutating func raiseFill(to fill: FillStamp) { highestFill = max(highestFill, fill) }

    /// The floor of everything rose, and with it that of each namespace.
    ///
    /// - Complexity: O(namespaces).
    mutating func floorRose(_ rise: FloorRise) {
        for index in 0..<count {
            namespaces[index].shown.floorRose(rise, highestFill: highestFill)
        }
    }

    mutating func floorRose(_ rise: FloorRise, of namespace: NamespaceNumber) {
        let index = Int(namespace.rawValue)
        if index >= count { grow(toHold: index) }
        namespaces[index].shown.floorRose(rise, highestFill: highestFill)
    }

    func tally(of namespace: NamespaceNumber) -> ScopeTally {
        let index = Int(namespace.rawValue)
        return index < count ? namespaces[index].shown : ScopeTally()
    }

    /// All resident entries of a namespace, including hidden ones.
    func resident(of namespace: NamespaceNumber) -> ScopeCount {
        let index = Int(namespace.rawValue)
        guard index < count else { return ScopeCount() }
        return ScopeCount(
            entryCount: namespaces[index].entryCount, bytes: namespaces[index].bytes)
    }

    /// The counts of all namespaces, without entries hidden by this hard floor of everything.
    ///
    /// - Complexity: O(namespaces).
    func everything(under hard: FillStamp) -> ScopeCount {
        var sum = ScopeCount()
        for index in 0..<count { sum = sum + ScopeCount(namespaces[index].shown, under: hard) }
        return sum
    }

    @inline(never)
    private mutating func grow(toHold index: Int) {
        let fresh = UnsafeMutablePointer<NamespaceTally>.allocate(capacity: index + 1)
        fresh.initialize(from: namespaces, count: count)
        (fresh + count).initialize(repeating: NamespaceTally(), count: index + 1 - count)
        namespaces.deallocate()
        namespaces = fresh
        count = index + 1
    }
}
