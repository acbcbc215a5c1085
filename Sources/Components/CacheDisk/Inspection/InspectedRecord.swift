package import CacheModel

/// One record of a segment, as an inspection reports it.
package struct InspectedRecord: Equatable, Sendable {
    package enum State: String, Sendable {
        /// The newest of its fingerprint.
        case live
        /// It would be live, but has expired.
        case expired
        /// A later record has its fingerprint.
        case overwritten
        /// A later tombstone or reset removed it.
        case removed
        case damaged
        /// It precedes damage that voids it, or the whole tier is void.
        case void
        case tombstone
        case reset
        /// A part of a value that is too long for one record.
        case part
    }

    /// The content of an entry's record.
    package struct Content: Equatable, Sendable {
        /// Empty for the default namespace.
        package let namespace: [UInt8]
        package let key: [UInt8]
        package let valueBytes: Int
        /// 0: none.
        package let version: UInt64
        package let tags: [[UInt8]]
        package let validator: [UInt8]
        package let representation: Representation
        /// `nil` unless a node loaded it under terms.
        package let terms: LoadTerms?
        /// Sequence number of its fill position.
        package let fill: UInt64
        package let stored: TierTime
        package let expires: TierTime?
        package let softSince: TierTime?
        package let isUnfenced: Bool

        init(_ entry: DiskEntry, valueBytes: Int) {
            self.valueBytes = valueBytes
            namespace = Array(entry.namespace)
            key = Array(entry.key)
            version = entry.version
            tags = entry.tags.map { Array($0) }
            validator = Array(LoadTerms.validator(in: entry.validator))
            terms = LoadTerms(stored: entry.validator)
            representation = Representation(stored: entry.representation) ?? Representation()
            fill = entry.fill
            stored = entry.stored
            expires = entry.expires
            softSince = entry.softSince
            isUnfenced = entry.isUnfenced
        }
    }

    package let segment: SegmentNumber
    /// In the segment.
    package let offset: Int
    package let bytes: Int
    package let state: State
    /// `nil` if unknown, and for a reset.
    package let fingerprint: Fingerprint?
    /// The content of an entry with a valid checksum.
    package let content: Content?
}
