package import CacheModel

/// One bucket of a floor snapshot, and the newest record that touched a name in it.
package struct FloorEntry: Hashable, Sendable {
    package let bucket: Int
    package let sequence: SequenceNumber

    package init(bucket: Int, sequence: SequenceNumber) {
        self.bucket = bucket
        self.sequence = sequence
    }
}
