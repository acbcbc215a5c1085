/// A pending store of a value that is appended in parts.
struct DividedStore {
    let fingerprint: Fingerprint
    let account: DiskAccount
    /// Bytes reserved in the namespace's share for what is still to be appended.
    var reservedBytes = 0
    /// Whether it is stored again because its parts are reclaimed.
    let isAgain: Bool
    /// A record of the entry without its value. It is not in the log, and its checksum is not
    /// valid.
    let head: [UInt8]
    let value: [UInt8]
    /// The parts already in the log.
    var list = PartList()

    init(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, _ account: DiskAccount,
        isAgain: Bool, seal: RecordSeal
    ) {
        self.fingerprint = fingerprint
        self.account = account
        self.isAgain = isAgain
        value = [UInt8](entry.value)
        var bare = copy entry
        bare.value = UnsafeRawBufferPointer(start: nil, count: 0)
        var head = [UInt8](repeating: 0, count: bare.recordBytes)
        let writing = RecordWriting(seal: seal, segment: .none)
        head.withUnsafeMutableBytes { writing.write(bare, as: .entry, into: $0, at: 0) }
        self.head = head
    }

    /// Bytes of the value not yet in a part.
    var rest: Int { value.count - list.valueBytes }

    /// The answer to a request meanwhile.
    var record: FoundRecord { FoundRecord(bytes: head, value: value, fingerprint: fingerprint) }
}

/// Values that wait to be appended in parts, in append order.
struct StoreQueue {
    private var stores: [DividedStore] = []
    /// Of their values.
    private(set) var byteCount = 0

    var isEmpty: Bool { stores.isEmpty }
    var first: DividedStore? { stores.first }

    subscript(_ fingerprint: Fingerprint) -> DividedStore? {
        stores.first { $0.fingerprint == fingerprint }
    }

    func first(of account: DiskAccount) -> DividedStore? {
        stores.first { $0.account == account }
    }

    /// A single value may be longer than the limit.
    func hasRoom(for bytes: Int) -> Bool {
        stores.isEmpty || byteCount + bytes <= DiskLimits.storingBytesMax
    }

    mutating func append(_ store: DividedStore) {
        stores.append(store)
        byteCount += store.value.count
    }

    /// A part of the first value is in the log.
    mutating func noteAppended(_ part: PartPlace, takenBytes: Int) {
        stores[0].reservedBytes -= takenBytes
        stores[0].list.append(part)
    }

    mutating func remove(_ fingerprint: Fingerprint) -> DividedStore? {
        guard !stores.isEmpty,
            let number = stores.firstIndex(where: { $0.fingerprint == fingerprint })
        else { return nil }
        let store = stores.remove(at: number)
        byteCount -= store.value.count
        return store
    }

    /// - Returns: those that waited.
    mutating func removeAll() -> [DividedStore] {
        defer { self = StoreQueue() }
        return stores
    }
}
