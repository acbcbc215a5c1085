import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
}

func stamp(_ sequence: UInt64, epoch: UInt16 = 0) -> FillStamp {
    FillStamp(epochOrdinal: epoch, sequence: SequenceNumber(sequence))
}

/// A moment so many ticks after the beginning: a tick is what an entry's end is kept in.
func at(_ ticks: UInt64) -> Instant {
    Instant(nanoseconds: min(ticks, .max >> EntryEnd.tickShift) << EntryEnd.tickShift)
}

func ticks(_ moment: Instant) -> UInt64 { moment.nanoseconds >> EntryEnd.tickShift }

/// A moment on the coarser clock by which ages are told.
func late(_ ticks: UInt64) -> Instant {
    Instant(nanoseconds: ticks << Entry.storedTickShift)
}

func age(_ ticks: Int64) -> Duration { .nanoseconds(ticks << Int64(Entry.storedTickShift)) }

let room = NamespaceNumber(0)

/// As `#require`, for what a mutating call on a tier answered: the macro would copy the tier.
func required<Value>(_ value: Value?) throws -> Value { try #require(value) }

/// What a test stores: a candidate that owns its bytes.
struct Offer {
    var key = "a"
    var namespace = room
    var value: [UInt8] = [1, 2, 3]
    var version: UInt64 = 0
    var validator = ""
    var tags: [String] = []
    var representation = Representation()
    var expiresAt: Instant?
    var fill = stamp(0)
    var isFenced = false
    var isUnfenced = false
    var replacesOnlyOlderFill = false
}

/// A view, copied.
struct Seen: Equatable {
    var key: String
    var value: [UInt8]
    var namespace: NamespaceNumber
    var version: UInt64
    var validator: String
    var tags: [String]
    var representation: Representation?
    var fill: FillStamp
    var expiresAt: Instant?
    var isUnfenced: Bool
    var isSoft: Bool
    var softAge: Duration?

    init(_ view: EntryView, now: Instant = at(1)) {
        key = String(decoding: view.key, as: UTF8.self)
        value = Array(view.value)
        namespace = view.namespace
        version = view.version.rawValue
        validator = String(decoding: view.validator, as: UTF8.self)
        var names: [String] = []
        view.forEachTag { names.append(String(decoding: $0, as: UTF8.self)) }
        tags = names
        representation = Representation(stored: view.representation)
        fill = view.fill
        expiresAt = view.expiresAt
        isUnfenced = view.isUnfenced
        isSoft = view.isSoft
        softAge = view.softAge(at: now)
    }
}

func withBytes<Result>(
    _ text: String, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    Array(text.utf8).withUnsafeBytes { body($0) }
}

private func withTags<Result>(
    _ tags: [String], _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
) -> Result {
    let flat = tags.flatMap { Array($0.utf8) }
    return flat.withUnsafeBytes { bytes in
        var offset = 0
        var slices: [UnsafeRawBufferPointer] = []
        for tag in tags {
            let end = offset + tag.utf8.count
            slices.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            offset = end
        }
        return slices.withUnsafeBufferPointer { body($0) }
    }
}

extension Offer {
    func withCandidate<Result>(
        hash: KeyHash, _ body: (StoreCandidate) -> Result
    ) -> Result {
        representation.stored.withUnsafeBytes { representation in
            withCandidate(hash: hash, described: representation, body)
        }
    }

    private func withCandidate<Result>(
        hash: KeyHash, described: UnsafeRawBufferPointer, _ body: (StoreCandidate) -> Result
    ) -> Result {
        withBytes(key) { key in
            value.withUnsafeBytes { value in
                withBytes(validator) { validator in
                    withTags(tags) { tags in
                        var candidate = StoreCandidate(
                            hash: hash, namespace: namespace, key: key, value: value, fill: fill)
                        candidate.version = Version(version)
                        candidate.validator = validator
                        candidate.tags = tags
                        candidate.representation = described
                        candidate.expiresAt = expiresAt
                        candidate.isFenced = isFenced
                        candidate.isUnfenced = isUnfenced
                        candidate.replacesOnlyOlderFill = replacesOnlyOlderFill
                        return body(candidate)
                    }
                }
            }
        }
    }
}

extension MemoryTierLimits {
    static func sample(_ bytes: Int = 1 << 20) -> MemoryTierLimits {
        MemoryTierLimits(residentBytesMax: bytes)
    }
}

extension MemoryTier {
    static func sample(
        _ limits: MemoryTierLimits = .sample(), policy: EvictionPolicyName = .s3fifo
    ) -> MemoryTier {
        var tier = MemoryTier(limits: limits, policy: policy, hashSeed: 42)
        tier.nameNamespaces(TestScope.names)
        return tier
    }

    func hash(_ key: String, _ namespace: NamespaceNumber = room) -> KeyHash {
        withBytes(key) { hash(namespace: namespace, key: $0) }
    }

    @discardableResult
    mutating func store(
        _ offer: Offer, now: Instant = at(1)
    ) -> Result<StoreEffect, StoreRefusal> {
        offer.withCandidate(hash: hash(offer.key, offer.namespace)) { store($0, now: now) }
    }

    /// Why the offer was refused; `nil` if it was stored.
    mutating func refusal(_ offer: Offer, now: Instant = at(1)) -> StoreRefusal? {
        switch store(offer, now: now) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    /// Why the entry was not renewed; `nil` if it was.
    mutating func renewal(_ offer: Offer, now: Instant = at(1)) -> StoreRefusal? {
        let result = offer.withCandidate(hash: hash(offer.key, offer.namespace)) {
            renew($0, now: now)
        }
        switch result {
        case .success: return nil
        case .failure(let refusal): return refusal
        }
    }

    /// The ETag of what is there to be renewed.
    mutating func renewable(_ key: String, now: Instant = at(1)) -> String? {
        let hash = hash(key)
        let view = withBytes(key) { renewable(hash, namespace: room, key: $0, now: now) }
        return view.map { Seen($0, now: now).validator }
    }

    mutating func seen(
        _ key: String, in namespace: NamespaceNumber = room, now: Instant = at(1)
    ) -> Seen? {
        let hash = hash(key, namespace)
        return withBytes(key) {
            lookup(hash, namespace: namespace, key: $0, now: now).map { Seen($0, now: now) }
        }
    }

    mutating func peeked(
        _ key: String, in namespace: NamespaceNumber = room, now: Instant = at(1)
    ) -> Seen? {
        let hash = hash(key, namespace)
        return withBytes(key) {
            peek(hash, namespace: namespace, key: $0, now: now).map { Seen($0, now: now) }
        }
    }

    mutating func identity(_ key: String, now: Instant = at(1)) -> UInt64? {
        let hash = hash(key)
        let view = withBytes(key) { peek(hash, namespace: room, key: $0, now: now) }
        return view.map { identity(of: $0) }
    }

    mutating func touch(_ key: String, expiresAt: Instant?, now: Instant = at(1)) -> Bool {
        let hash = hash(key)
        return withBytes(key) {
            touch(hash, namespace: room, key: $0, expiresAt: expiresAt, now: now)
        }
    }

    mutating func invalidate(
        _ target: TestScope, _ strength: InvalidationRecord.Strength = .hard,
        at stamp: FillStamp, now: Instant = at(1)
    ) {
        let namespace = target.namespace
        switch target {
        case .key(let key, _, let minimum):
            let hash = hash(key, namespace)
            withBytes(key) {
                apply(
                    .key(
                        namespace, hash: hash, key: $0,
                        minimumVersion: minimum.map { Version($0) }),
                    strength: strength, at: stamp, now: now)
            }
        case .tag(let tag, _):
            withBytes(tag) {
                apply(.tag(namespace, $0), strength: strength, at: stamp, now: now)
            }
        case .prefix(let prefix, _):
            withBytes(prefix) {
                apply(.prefix(namespace, $0), strength: strength, at: stamp, now: now)
            }
        case .namespace(let namespace):
            apply(.namespace(namespace), strength: strength, at: stamp, now: now)
        case .everything: apply(.everything, strength: strength, at: stamp, now: now)
        case .part(let whole, let range):
            invalidate(whole, within: range, strength, at: stamp, now: now)
        }
    }

    private mutating func invalidate(
        _ whole: TestScope, within range: ClosedRange<UInt64>,
        _ strength: InvalidationRecord.Strength, at stamp: FillStamp, now: Instant
    ) {
        let namespace = whole.namespace
        switch whole {
        case .key, .part: Issue.record("keys and parts have no ranges")
        case .tag(let name, _):
            withBytes(name) {
                apply(
                    .tag(namespace, $0), within: range, strength: strength, at: stamp, now: now)
            }
        case .prefix(let prefix, _):
            withBytes(prefix) {
                apply(
                    .prefix(namespace, $0), within: range, strength: strength, at: stamp,
                    now: now)
            }
        case .namespace:
            apply(
                .namespace(namespace), within: range, strength: strength, at: stamp, now: now)
        case .everything:
            apply(.everything, within: range, strength: strength, at: stamp, now: now)
        }
    }

    /// Sweeps to the end of a round.
    @discardableResult
    mutating func sweepRound(now: Instant = at(1)) -> Int {
        var removedCount = 0
        while true {
            let progress = sweep(bucketLimit: 16, now: now)
            removedCount += progress.removedCount
            if progress.finishedRound { return removedCount }
        }
    }

    mutating func scannedKeys(now: Instant = at(1)) -> [String] {
        var keys: [String] = []
        var cursor: UInt64? = 0
        while let position = cursor {
            cursor = scan(from: position, bucketLimit: 7, now: now) { entry, _ in
                keys.append(Seen(entry).key)
            }
        }
        return keys
    }
}

/// A scope that owns its bytes.
enum TestScope: Hashable, Sendable {
    case key(String, NamespaceNumber = room, minimumVersion: UInt64? = nil)
    case tag(String, NamespaceNumber = room)
    case prefix(String, NamespaceNumber = room)
    case namespace(NamespaceNumber)
    case everything
    /// Of the keys whose route hash lies within.
    indirect case part(TestScope, ClosedRange<UInt64>)

    var namespace: NamespaceNumber {
        switch self {
        case .key(_, let namespace, _), .tag(_, let namespace), .prefix(_, let namespace),
            .namespace(let namespace):
            namespace
        case .everything: room
        case .part(let whole, _): whole.namespace
        }
    }

    /// What the namespaces of tests are called, by number.
    static let names: [[UInt8]] = ["default", "images"].map { Array($0.utf8) }

    static func route(_ key: String, in namespace: NamespaceNumber = room) -> UInt64 {
        names[Int(namespace.rawValue)].withUnsafeBytes { name in
            withBytes(key) { StableHash.route(name, $0) }
        }
    }
}

#if !CACHE_CHECKED
    extension MemoryTier {
        /// Only a checked build can.
        mutating func checkEverything() {}
    }
#endif
