package import ByteCoding
package import CacheModel

/// The names that one epoch of a log has touched, with the newest sequence number of each. A node
/// that missed records beyond the retention learns from it which entries it may keep.
///
/// Keys and tags fall into 2^22 buckets of a stable hash; namespaces and prefixes are kept by name.
/// A name that shares a bucket, or exceeds a bound, counts as touched: more is hidden, never less.
/// Hard and soft invalidations, minimum versions and parts of a scope count alike, because a node's
/// only reaction is to ask the origin before it answers.
///
///     publisher:  note(record) … ─▶ FloorSnapshot ─▶ part(from:above:) ─▶ FLOOR SNAPSHOT
///     node:                         FloorSnapshot ◀─ raise(part) ◀──────────┘
///                                        └─ floor(ofKey:), floor(ofTag:)
///
/// It covers every record after ``completeSince`` up to ``asOf``. It is a value: a copy shares its
/// memory until one of the two changes, so another thread may own a copy.
package struct FloorSnapshot: Hashable, Sendable {
    package static let bucketCount = FloorBuckets.count

    package let log: LogID
    /// It covers every later record up to ``asOf``, and no earlier one. In the epoch of ``asOf``.
    package private(set) var completeSince: SequenceNumber
    package private(set) var asOf: LogMark
    /// Whether no node can have applied other records of this epoch. Where an earlier publisher may
    /// have lost some, the position of a mark alone proves nothing.
    package private(set) var isCertain: Bool
    package internal(set) var names = FloorNames()
    var table = FloorPages()

    /// A snapshot that knows nothing before `mark`.
    package init(of log: LogID, at mark: LogMark, isCertain: Bool) {
        self.init(
            of: log, at: mark, completeSince: mark.position.sequence, isCertain: isCertain)
    }

    init(of log: LogID, at mark: LogMark, completeSince: SequenceNumber, isCertain: Bool) {
        self.log = log
        self.completeSince = completeSince
        self.isCertain = isCertain
        asOf = mark
    }

    // MARK: Asking

    /// The newest record that may have touched a key, by whatever scope but a tag.
    ///
    /// - Complexity: O(prefixes).
    package func floor(ofKey key: CacheKey, in namespace: Namespace) -> SequenceNumber {
        let bucket = key.bytes.withUnsafeBytes { Self.buckets(namespace).bucket(ofKey: $0) }
        return max(table[bucket], names.floor(ofKey: key.bytes, in: namespace))
    }

    /// The newest record that may have touched a tag.
    package func floor(ofTag tag: Tag, in namespace: Namespace) -> SequenceNumber {
        table[tag.bytes.withUnsafeBytes { Self.buckets(namespace).bucket(ofTag: $0) }]
    }

    /// The floor of one bucket; see ``ByteCoding/FloorBuckets``.
    package func floor(ofBucket bucket: Int) -> SequenceNumber { table[bucket] }

    private static let bucketsOfDefault = hashed(.default)

    package static func buckets(_ namespace: Namespace) -> FloorBuckets {
        namespace == .default ? bucketsOfDefault : hashed(namespace)
    }

    private static func hashed(_ namespace: Namespace) -> FloorBuckets {
        var name = namespace.name
        return name.withUTF8 { FloorBuckets(namespace: UnsafeRawBufferPointer($0)) }
    }

    // MARK: Rising

    /// The next record of the log.
    ///
    /// - Complexity: O(scopes).
    package mutating func note(_ sealed: SealedRecord) {
        precondition(
            sealed.position.directlyFollows(asOf.position)
                && sealed.record.previousDigest == asOf.digest,
            "a snapshot knows every record since it is complete")
        let sequence = sealed.position.sequence
        // Buckets first, then all of them at once: they lie far apart, and a loop that does nothing
        // else waits for several of them at the same time.
        var touched: [Int] = []
        touched.reserveCapacity(sealed.record.scopes.count)
        sealed.record.scopes.forEachItem { item in
            switch item {
            case .key(let name, let namespace):
                touched.append(Self.buckets(namespace).bucket(ofKey: name))
            case .other(let scope):
                if let bucket = touch(scope.target, sequence) { touched.append(bucket) }
            }
        }
        table.raise(touched, to: sequence)
        asOf = sealed.mark
    }

    /// Raises what is kept by name.
    ///
    /// - Returns: the bucket of what is kept by its hash.
    private mutating func touch(_ target: Scope.Target, _ sequence: SequenceNumber) -> Int? {
        switch target {
        case .key(let key, let namespace):
            let buckets = Self.buckets(namespace)
            return key.bytes.withUnsafeBytes { buckets.bucket(ofKey: $0) }
        case .tag(let tag, let namespace):
            let buckets = Self.buckets(namespace)
            return tag.bytes.withUnsafeBytes { buckets.bucket(ofTag: $0) }
        case .prefix(let bytes, let namespace):
            names.raise(FloorNames.Prefix(namespace: namespace, bytes: bytes), to: sequence)
        case .namespace(let namespace): names.raise(namespace, to: sequence)
        case .everything: names.raiseEverything(to: sequence)
        }
        return nil
    }

    /// Takes over what a later snapshot of this log and epoch knows.
    ///
    /// - Precondition: it is complete since a place that this one knows.
    /// - Complexity: O(buckets in use by both).
    package mutating func absorb(_ later: FloorSnapshot) {
        precondition(
            later.log == log && later.asOf.position.epoch == asOf.position.epoch
                && later.completeSince <= asOf.position.sequence,
            "nothing is missing between two snapshots that become one")
        names.raise(to: later.names)
        table.raise(to: later.table)
        if later.asOf.position >= asOf.position { asOf = later.asOf }
    }

    /// It is no longer known whether a node has applied other records of this epoch.
    package mutating func becomeUncertain() { isCertain = false }

    // MARK: Travelling

    /// A part of what was touched above a floor: as much as one message carries.
    ///
    /// - Parameter bucket: 0 for the first part, which has the names too, then what the part before
    ///   said.
    /// - Complexity: O(``InvalidationLimits/floorPartLookedMax``).
    package func part(from bucket: Int, above floor: SequenceNumber) -> FloorPart {
        let (entries, next) = table.entries(
            from: bucket, above: floor, entriesMax: InvalidationLimits.floorPartEntriesMax,
            bucketsMax: InvalidationLimits.floorPartLookedMax)
        return FloorPart(
            first: bucket, next: next, names: bucket == 0 ? names.above(floor) : FloorNames(),
            entries: entries)
    }

    /// Raises everything that a part tells.
    package mutating func raise(_ part: FloorPart) {
        names.raise(to: part.names)
        for entry in part.entries { table.raise(entry.bucket, to: entry.sequence) }
    }
}
