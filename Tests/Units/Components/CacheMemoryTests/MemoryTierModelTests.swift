import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// The tier as it would be written without care for time: a dictionary, and the whole history.
private struct NaiveTier {
    struct Place: Hashable {
        var namespace: NamespaceNumber
        var key: String
    }

    struct Record {
        var scope: TestScope
        var strength: InvalidationRecord.Strength
        var stamp: FillStamp
    }

    var entries: [Place: Offer] = [:]
    var records: [Record] = []
    var quarantine = FillStamp.none

    static func covers(_ scope: TestScope, _ offer: Offer) -> Bool {
        switch scope {
        case .key(let key, let namespace, let minimum):
            key == offer.key && namespace == offer.namespace
                && (minimum == nil || offer.version < (minimum ?? 0))
        case .tag(let tag, let namespace):
            namespace == offer.namespace && offer.tags.contains(tag)
        case .prefix(let prefix, let namespace):
            namespace == offer.namespace && offer.key.hasPrefix(prefix)
        case .namespace(let namespace): namespace == offer.namespace
        case .everything: true
        case .part(let whole, let range):
            covers(whole, offer)
                && range.contains(TestScope.route(offer.key, in: offer.namespace))
        }
    }

    func records(above offer: Offer) -> [Record] {
        records.filter { offer.fill < $0.stamp && Self.covers($0.scope, offer) }
    }

    func isVisible(_ offer: Offer, now: Instant) -> Bool {
        if let end = offer.expiresAt, end <= now { return false }
        return offer.fill >= quarantine
            && !records(above: offer).contains { $0.strength == .hard }
    }

    func resident(_ place: Place, now: Instant) -> Offer? {
        guard let offer = entries[place], isVisible(offer, now: now) else { return nil }
        return offer
    }

    /// Nothing is known to forbid that it is there: what a tier that has just swept must hold.
    func isKept(_ offer: Offer, now: Instant) -> Bool {
        if let end = offer.expiresAt, end <= now { return false }
        return !records(above: offer).contains { $0.strength == .hard }
            && (offer.fill >= quarantine || offer.version > 0 || !offer.validator.isEmpty)
    }

    func isSoft(_ offer: Offer) -> Bool {
        records(above: offer).contains { $0.strength == .soft }
    }

    func minimumVersion(of offer: Offer) -> UInt64 {
        var floor: UInt64 = 0
        for record in records {
            guard case .key(let key, let namespace, let minimum) = record.scope,
                key == offer.key, namespace == offer.namespace
            else { continue }
            floor = minimum.map { max(floor, $0) } ?? 0
        }
        return floor
    }

    /// Why `offer`, which has no value, may not renew what is there.
    func refusal(renewing offer: Offer, tokenBase: FillStamp, now: Instant) -> StoreRefusal? {
        guard let entry = entries[Place(namespace: offer.namespace, key: offer.key)],
            entry.expiresAt.map({ now < $0 }) ?? true,
            !records(above: entry).contains(where: { $0.strength == .hard }),
            entry.version > 0 || !entry.validator.isEmpty,
            offer.version > 0 || !offer.validator.isEmpty,
            offer.version == 0 || offer.version == entry.version,
            offer.validator.isEmpty || offer.validator == entry.validator
        else { return .changed }
        if entry.version > 0, entry.version < minimumVersion(of: entry) { return .olderVersion }
        if offer.fill < tokenBase { return .tokenTooOld }
        var renewed = entry
        renewed.fill = offer.fill
        return records(above: renewed).isEmpty ? nil : .invalidatedMeanwhile
    }

    /// The refusal that is due; `tokenBase` is the tier's, which may lie higher than need be.
    func refusal(_ offer: Offer, tokenBase: FillStamp, now: Instant) -> StoreRefusal? {
        let place = Place(namespace: offer.namespace, key: offer.key)
        let resident = resident(place, now: now)
        if offer.version > 0 {
            if offer.version < minimumVersion(of: offer) { return .olderVersion }
            if let resident {
                let refreshes =
                    offer.version == resident.version && offer.isFenced && isSoft(resident)
                if offer.version <= resident.version, !refreshes { return .olderVersion }
            }
        }
        if offer.isFenced {
            if offer.fill < tokenBase { return .tokenTooOld }
            if !records(above: offer).isEmpty { return .invalidatedMeanwhile }
        }
        if offer.replacesOnlyOlderFill, let resident, resident.fill >= offer.fill {
            return .leaseVoid
        }
        return nil
    }
}

/// One seeded run of random operations against the naive model.
private struct ModelRun {
    let seed: UInt64
    /// Whether bounds are so small that the tier may hide and evict more than the model.
    let isCramped: Bool
    var dice: SeededGenerator
    var model = NaiveTier()
    var applied: UInt64 = 1
    var epoch: UInt16 = 0
    var now = at(1)
    var admittedCount = 0
    var refusedCount = 0
    var renewedCount = 0
    var hitCount = 0
    var countedCount = 0

    init(seed: UInt64, isCramped: Bool) {
        self.seed = seed
        self.isCramped = isCramped
        dice = SeededGenerator(seed: seed)
    }

    static func limits(isCramped: Bool) -> MemoryTierLimits {
        var limits = MemoryTierLimits.sample(isCramped ? 8_000 : 1 << 20)
        limits.floorAgeMin = .nanoseconds(200 << 22)
        guard isCramped else { return limits }
        limits.tagsMax = 5
        limits.prefixFloorsMax = 3
        limits.prefixLengthsMax = 1
        limits.keyFloorsMax = 6
        limits.pacedScopesMax = 2
        limits.pacedRangesMax = 3
        return limits
    }

    mutating func run(steps: Int, policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(Self.limits(isCramped: isCramped), policy: policy)
        for step in 0..<steps {
            now = at(ticks(now) + UInt64(dice.below(3)))
            switch dice.below(100) {
            case 0..<40: lookUp(&tier)
            case 40..<70: store(&tier)
            case 70..<75: renew(&tier)
            case 75..<89: invalidate(&tier)
            case 89: changeQuotas(&tier)
            case 90..<97: _ = tier.sweep(bucketLimit: 1 + dice.below(40), now: now)
            case 97: countScopes(&tier)
            default: if dice.chance(6) { quarantine(&tier) }
            }
            if step % 500 == 0 { tier.entries.checkEverything() }
        }
        tier.entries.checkEverything()
        let origin = "seed \(seed)"
        #expect(hitCount > steps / 50, "\(origin)")
        #expect(renewedCount > 0, "\(origin)")
        #expect(isCramped || countedCount > 5, "\(origin)")
        #expect(admittedCount > steps / 50 && refusedCount > steps / 100, "\(origin)")
    }

    private mutating func place() -> NaiveTier.Place {
        let first = ["a", "ab", "abc", "b"][dice.below(4)]
        return NaiveTier.Place(
            namespace: NamespaceNumber(UInt16(dice.below(2))), key: "\(first)\(dice.below(6))")
    }

    private mutating func lookUp(_ tier: inout MemoryTier) {
        let place = place()
        let expected = model.resident(place, now: now)
        let seen =
            dice.chance(2)
            ? tier.seen(place.key, in: place.namespace, now: now)
            : tier.peeked(place.key, in: place.namespace, now: now)
        guard let seen else {
            if !isCramped { #expect(expected == nil, "seed \(seed): \(place)") }
            return
        }
        hitCount += 1
        #expect(seen.value == expected?.value, "seed \(seed): \(place)")
        #expect(seen.fill == expected?.fill && seen.version == expected?.version)
        #expect(
            isCramped || seen.representation == expected?.representation, "seed \(seed): \(place)")
        guard let expected else { return }
        // What is shared by hash may make more stale, never less.
        let isSoft = model.isSoft(expected)
        #expect(seen.isSoft == isSoft || (isCramped && seen.isSoft), "seed \(seed): \(place)")
    }

    private mutating func makeOffer() -> Offer {
        let place = place()
        var offer = Offer(key: place.key, namespace: place.namespace)
        offer.value = (0..<dice.below(60)).map { _ in UInt8(dice.below(256)) }
        if dice.chance(3) { offer.version = UInt64(1 + dice.below(8)) }
        if dice.chance(3) { offer.validator = ["e", "f"][dice.below(2)] }
        offer.tags = ["t", "u", "v", "w", "x"].filter { _ in dice.chance(4) }
        if dice.chance(3) { offer.representation = makeRepresentation() }
        if dice.chance(4) { offer.expiresAt = at(ticks(now) + UInt64(dice.below(200))) }
        offer.isFenced = dice.chance(2)
        let back = offer.isFenced ? UInt64(dice.below(12)) : 0
        offer.fill = stamp(applied > back ? applied - back : 0, epoch: epoch)
        offer.replacesOnlyOlderFill = offer.isFenced && dice.chance(3)
        return offer
    }

    private mutating func makeRepresentation() -> Representation {
        Representation(
            contentType: RepresentationField(["text/css", "image/png"][dice.below(2)]),
            contentEncoding: dice.chance(2) ? RepresentationField("gzip") : nil,
            contentLanguage: dice.chance(2) ? RepresentationField("de, en") : nil)
    }

    private mutating func store(_ tier: inout MemoryTier) {
        let offer = makeOffer()
        let tokenBase = tier.statistics.tokenBase
        let expected = model.refusal(offer, tokenBase: tokenBase, now: now)
        let refusal = tier.refusal(offer, now: now)
        if isCramped {
            // Without the dropped version floors and evicted entries it may admit an older
            // version; it may never admit a token that the whole history refuses.
            if offer.isFenced, refusal == nil {
                #expect(expected != .invalidatedMeanwhile && expected != .tokenTooOld)
            }
        } else {
            #expect(refusal == expected, "seed \(seed): \(offer)")
        }
        guard refusal == nil else {
            refusedCount += 1
            return
        }
        admittedCount += 1
        model.entries[NaiveTier.Place(namespace: offer.namespace, key: offer.key)] = offer
    }

    private mutating func renew(_ tier: inout MemoryTier) {
        var offer = makeOffer()
        offer.isFenced = true
        let place = NaiveTier.Place(namespace: offer.namespace, key: offer.key)
        if let entry = model.entries[place], dice.chance(2) {
            (offer.version, offer.validator) = (entry.version, entry.validator)
        }
        let expected = model.refusal(
            renewing: offer, tokenBase: tier.statistics.tokenBase, now: now)
        let refusal = tier.renewal(offer, now: now)
        if isCramped {
            // Without the dropped version floors it may renew a version that was ruled out.
            let isAllowed = expected == nil || expected == .olderVersion
            #expect(refusal != nil || isAllowed, "seed \(seed): \(offer)")
        } else {
            #expect(refusal == expected, "seed \(seed): \(offer)")
        }
        guard refusal == nil, let entry = model.entries[place], entry.fill <= offer.fill else {
            return
        }
        renewedCount += 1
        model.entries[place]?.fill = offer.fill
        model.entries[place]?.expiresAt = offer.expiresAt
        model.entries[place]?.representation = entry.representation.updated(
            by: offer.representation)
    }

    private mutating func invalidate(_ tier: inout MemoryTier) {
        let place = place()
        var scope: TestScope
        switch dice.below(20) {
        case 0..<7: scope = .key(place.key, place.namespace)
        case 7..<11:
            scope = .key(
                place.key, place.namespace, minimumVersion: UInt64(1 + dice.below(8)))
        case 11..<16:
            scope = .tag(["t", "u", "v", "w", "y"][dice.below(5)], place.namespace)
        case 16..<18: scope = .prefix(["a", "ab", "abc"][dice.below(3)], place.namespace)
        case 18: scope = .namespace(place.namespace)
        default: scope = .everything
        }
        if case .key = scope {} else if dice.chance(2) { scope = .part(scope, makeRange()) }
        applied += 1
        let strength: InvalidationRecord.Strength = dice.chance(2) ? .hard : .soft
        let stamp = stamp(applied, epoch: epoch)
        tier.invalidate(scope, strength, at: stamp, now: now)
        model.records.append(.init(scope: scope, strength: strength, stamp: stamp))
    }

    /// Mostly of a sixteenth, as a pacing has them; now and then any.
    private mutating func makeRange() -> ClosedRange<UInt64> {
        guard dice.chance(4) else {
            let lower = UInt64(dice.below(16)) << 60
            return lower...(lower | (1 << 60 - 1))
        }
        let ends = [dice.next(), dice.next()].sorted()
        return ends[0]...ends[1]
    }

    /// Shares are wide enough for everything in a tier that is not cramped.
    private mutating func changeQuotas(_ tier: inout MemoryTier) {
        var quotas: [NamespaceNumber: MemoryQuota] = [:]
        for number in UInt16(0)..<2 where dice.chance(2) {
            guard let most = Percent(30 + dice.below(71)), let least = Percent(dice.below(31))
            else { continue }
            var quota = MemoryQuota(most: most, guaranteed: least)
            // Twenty-four keys of a namespace are there at most.
            if dice.chance(2) { quota.entriesMax = isCramped ? 1 + dice.below(12) : 24 }
            if isCramped, dice.chance(3) { quota.whenFull = .refuse }
            quotas[NamespaceNumber(number)] = quota
        }
        tier.entries.setQuotas(quotas)
        if dice.chance(2) { tier.entries.settleQuotas(bucketLimit: 1 + dice.below(100)) }
    }

    /// Counters never say less than is visible; after a sweep they say what is there.
    private mutating func countScopes(_ tier: inout MemoryTier) {
        guard !isCramped else { return tier.entries.checkEverything() }
        let namespaces = (UInt16(0)..<2).map { NamespaceNumber($0) }
        var scopes = namespaces.flatMap { namespace in
            ["t", "u", "v", "w", "x", "y"].map { TestScope.tag($0, namespace) }
        }
        scopes += namespaces.map { .namespace($0) } + [.everything]
        for scope in scopes {
            let covered = model.entries.values.filter { NaiveTier.covers(scope, $0) }
            let visible = covered.filter { model.isVisible($0, now: now) }
            #expect((tier.counted(scope, now: now)?.entryCount ?? -1) >= visible.count)
        }
        guard dice.chance(3) else { return }
        // Two rounds, for one may be under way that began before the last change.
        tier.sweepRound(now: now)
        tier.sweepRound(now: now)
        for scope in scopes {
            let covered = model.entries.values.filter { NaiveTier.covers(scope, $0) }
            let kept = covered.filter { model.isKept($0, now: now) }
            let count = tier.counted(scope, now: now)
            #expect(count?.entryCount == kept.count, "seed \(seed): \(scope)")
        }
        countedCount += 1
    }

    private mutating func quarantine(_ tier: inout MemoryTier) {
        epoch += 1
        applied = 1
        model.quarantine = stamp(applied, epoch: epoch)
        tier.quarantineEverything(at: model.quarantine)
    }
}

@Suite struct MemoryTierModelTests {
    @Test(arguments: UInt64(1)...8)
    func theTierDoesWhatTheWholeHistorySays(seed: UInt64) {
        var run = ModelRun(seed: seed, isCramped: false)
        let policies = EvictionPolicyName.allCases
        run.run(steps: 4_000, policy: policies[Int(seed) % policies.count])
    }

    @Test(arguments: UInt64(101)...108)
    func withSmallBoundsTheTierHidesMoreAndNeverLess(seed: UInt64) {
        var run = ModelRun(seed: seed, isCramped: true)
        let policies = EvictionPolicyName.allCases
        run.run(steps: 4_000, policy: policies[Int(seed) % policies.count])
    }
}
