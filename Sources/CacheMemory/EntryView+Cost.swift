extension EntryView {
    /// What the entry is charged, in bytes: block, rounding and its share of the index.
    package var costBytes: Int { Entry.costBytes(block: head.pointee.blockBytes) }
}
