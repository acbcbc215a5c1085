package import CacheModel

/// One record of a segment, as an inspection hands it out.
package struct InspectedRecord: Equatable, Sendable {
    package enum State: String, Sendable {
        /// The newest of its fingerprint.
        case live
        /// It would be live, but its time is over.
        case expired
        /// A later record has its fingerprint.
        case overwritten
        /// A tombstone or a reset came after it.
        case removed
        case damaged
        /// Nothing before some damage behind it is believed, or nothing in this tier.
        case void
        case tombstone
        case reset
        /// Of a value that is too long for one record.
        case part
    }

    /// What an entry's record says.
    package struct Content: Equatable, Sendable {
        /// Empty for the default one.
        package let namespace: [UInt8]
        package let key: [UInt8]
        package let valueBytes: Int
        /// 0: none.
        package let version: UInt64
        package let tags: [[UInt8]]
        package let validator: [UInt8]
        package let representation: Representation
        /// `nil` unless a node loaded it, on some.
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
    /// `nil` where it is not known, and of a reset.
    package let fingerprint: Fingerprint?
    /// Of an entry that proves itself.
    package let content: Content?
}
