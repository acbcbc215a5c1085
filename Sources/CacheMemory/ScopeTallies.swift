/// How many entries there are in all and in each namespace. Those of tags are in ``TagTable``.
struct ScopeTallies {
    /// Above it no entry was ever filled.
    private(set) var highestFill = FillStamp.none
    private(set) var everything = ScopeTally()
    private var namespaces: [ScopeTally] = []

    mutating func add(_ fill: FillStamp, _ namespace: NamespaceNumber, bytes: Int) {
        highestFill = max(highestFill, fill)
        everything.add(fill, bytes: bytes)
        reserve(namespace)
        namespaces[Int(namespace.rawValue)].add(fill, bytes: bytes)
    }

    mutating func subtract(_ fill: FillStamp, _ namespace: NamespaceNumber, bytes: Int) {
        everything.subtract(fill, bytes: bytes)
        namespaces[Int(namespace.rawValue)].subtract(fill, bytes: bytes)
    }

    /// An entry was vouched for anew.
    mutating func raiseFill(to fill: FillStamp) { highestFill = max(highestFill, fill) }

    mutating func floorRose(_ rise: FloorRise) {
        everything.floorRose(rise, highestFill: highestFill)
    }

    mutating func floorRose(_ rise: FloorRise, of namespace: NamespaceNumber) {
        reserve(namespace)
        namespaces[Int(namespace.rawValue)].floorRose(rise, highestFill: highestFill)
    }

    func tally(of namespace: NamespaceNumber) -> ScopeTally {
        let index = Int(namespace.rawValue)
        return index < namespaces.count ? namespaces[index] : ScopeTally()
    }

    private mutating func reserve(_ namespace: NamespaceNumber) {
        while namespaces.count <= Int(namespace.rawValue) { namespaces.append(ScopeTally()) }
    }
}
