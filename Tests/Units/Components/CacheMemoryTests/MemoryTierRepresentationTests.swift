import CacheModel
import Testing

@testable import CacheMemory

/// What is said of a value's bytes lives and ends with the entry.
@Suite struct MemoryTierRepresentationTests {
    private static let page = Representation(
        contentType: RepresentationField("text/html; charset=utf-8"),
        contentEncoding: RepresentationField("gzip"),
        contentLanguage: RepresentationField("de"))

    private static func said(_ type: String) -> Representation {
        Representation(contentType: RepresentationField(type))
    }

    private static func cost(of offer: Offer) throws -> Int {
        var tier = MemoryTier.sample()
        return try tier.store(offer).get().costBytes
    }

    @Test func anEntryKeepsItBesideEverythingElse() {
        for count in 0..<4 {
            for version in [0, 7] as [UInt64] {
                for validator in ["", "e1"] {
                    var tier = MemoryTier.sample()
                    let tags = Array(["t", "u", "v"].prefix(count))
                    tier.store(
                        Offer(
                            value: [UInt8](repeating: 9, count: 1_500), version: version,
                            validator: validator, tags: tags, representation: Self.page))
                    let seen = tier.seen("a")
                    #expect(seen?.representation == Self.page && seen?.tags == tags)
                    #expect(seen?.version == version && seen?.validator == validator)
                    #expect(seen?.value == [UInt8](repeating: 9, count: 1_500))
                    tier.entries.checkEverything()
                }
            }
        }
    }

    @Test func anEntryWithoutItHasNoByteOfIt() {
        let plain = Offer(key: "a", value: [1], tags: [])
        var described = plain
        described.representation = Self.said("image/png")
        let blocks = [plain, described].map { offer in
            offer.withCandidate(hash: MemoryTier.sample().hash("a")) { $0.blockBytes }
        }
        #expect(blocks == [38, 38 + 1 + 3 + 9])
    }

    @Test func itIsChargedToTheEntry() throws {
        let plain = try Self.cost(of: Offer())
        let described = try Self.cost(of: Offer(representation: Self.page))
        #expect(described >= plain + Self.page.stored.count - 8)
    }

    @Test func aStoreReplacesItAlsoByNone() {
        var tier = MemoryTier.sample()
        tier.store(Offer(representation: Self.page))
        tier.store(Offer(representation: Self.said("image/png")))
        #expect(tier.seen("a")?.representation == Self.said("image/png"))
        tier.store(Offer())
        #expect(tier.seen("a")?.representation == Representation())
        tier.entries.checkEverything()
    }

    @Test func whatIsNoRepresentationIsNotStored() {
        var tier = MemoryTier.sample()
        for bytes in [[3, 65], [1, 65, 0], [1, 10, 0, 0], [0, 0, 0], [1, 65, 0, 0, 0]] as [[UInt8]]
        {
            let refusal = bytes.withUnsafeBytes { bytes in
                Offer().withCandidate(hash: tier.hash("a")) { candidate in
                    var candidate = candidate
                    candidate.representation = bytes
                    return candidate.isInRange
                }
            }
            #expect(!refusal, "\(bytes)")
        }
        tier.entries.checkEverything()
    }

    @Test func aRenewalTakesOverWhatItSaysFieldByField() {
        var tier = MemoryTier.sample()
        let value = [UInt8](repeating: 7, count: 2_000)
        tier.store(
            Offer(
                value: value, validator: "e1", tags: ["t"], representation: Self.page,
                fill: stamp(10)))
        var word = Offer(
            value: [], validator: "e1", representation: Self.said("text/plain"),
            expiresAt: at(500), fill: stamp(30), isFenced: true)
        word.representation.contentEncoding = RepresentationField("br")
        let identity = tier.identity("a")
        #expect(tier.renewal(word) == nil)
        let seen = tier.seen("a")
        #expect(seen?.representation?.contentType == RepresentationField("text/plain"))
        #expect(seen?.representation?.contentEncoding == RepresentationField("gzip"))
        #expect(seen?.representation?.contentLanguage == RepresentationField("de"))
        #expect(seen?.value == value && seen?.tags == ["t"] && seen?.validator == "e1")
        #expect(seen?.fill == stamp(30) && seen?.expiresAt == at(500))
        #expect(tier.identity("a") != identity && tier.entryCount == 1)
        tier.invalidate(.tag("t"), at: stamp(40))
        #expect(tier.seen("a") == nil)
        tier.entries.checkEverything()
    }

    @Test func aRenewalThatSaysNothingLeavesItAndTheEntryAlone() {
        var tier = MemoryTier.sample()
        tier.store(Offer(validator: "e1", representation: Self.page, fill: stamp(10)))
        let word = Offer(value: [], validator: "e1", fill: stamp(30), isFenced: true)
        let identity = tier.identity("a")
        #expect(tier.renewal(word) == nil)
        #expect(tier.seen("a")?.representation == Self.page)
        #expect(tier.identity("a") == identity)
        tier.entries.checkEverything()
    }

    @Test func aRenewalDescribesWhatWasNotDescribedAndKeepsSharedTags() {
        var limits = MemoryTierLimits.sample()
        limits.tagsMax = 1
        var tier = MemoryTier.sample(limits)
        tier.store(Offer(validator: "e1", tags: ["t", "u", "v"], fill: stamp(10)))
        let word = Offer(
            value: [], validator: "e1", representation: Self.said("text/css"), fill: stamp(30),
            isFenced: true)
        #expect(tier.renewal(word) == nil)
        #expect(tier.seen("a")?.representation == Self.said("text/css"))
        tier.invalidate(.tag("v"), at: stamp(40))
        #expect(tier.seen("a") == nil)
        tier.entries.checkEverything()
    }
}
