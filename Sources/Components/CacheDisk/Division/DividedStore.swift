/// A pending store of a value that is appended in parts.
struct DividedStore {
    let fingerprint: Fingerprint
    /// The account of its namespace.
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
