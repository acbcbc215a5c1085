/// A store whose value goes into the log in parts, while it does.
struct DividedStore {
    let fingerprint: Fingerprint
    /// Of its namespace.
    let account: DiskAccount
    /// What is reserved in the namespace's share for what is still to be appended.
    var reservedBytes = 0
    /// Whether it is stored again, as its parts are reclaimed.
    let isAgain: Bool
    /// A record of the entry without its value. It lies nowhere, and its checksum means nothing.
    let head: [UInt8]
    let value: [UInt8]
    /// The parts that lie in the log.
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

    /// Bytes of the value that lie in no part yet.
    var rest: Int { value.count - list.valueBytes }

    /// As whoever asks for it meanwhile is to have it.
    var record: FoundRecord { FoundRecord(bytes: head, value: value, fingerprint: fingerprint) }
}
