/// A part of a floor snapshot: some buckets, and with the first of them the names.
package struct FloorPart: Hashable, Sendable {
    /// The part is about the buckets from this one …
    package let first: Int
    /// … up to, and without, this one. Equal to the number of buckets in the last part.
    package let next: Int
    package let names: FloorNames
    /// In order; a bucket that is not there was not touched.
    package let entries: [FloorEntry]

    package init(first: Int, next: Int, names: FloorNames, entries: [FloorEntry]) {
        self.first = first
        self.next = next
        self.names = names
        self.entries = entries
    }
}
