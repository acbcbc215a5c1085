import CacheWorkload
import Testing

@Suite struct RequestStreamTests {
    private static func phase(
        _ mix: OperationMix, _ distribution: KeyDistribution, keys: Int = 1_000
    ) -> WorkloadPhase {
        var phase = WorkloadPhase(name: "steady")
        phase.mix = mix
        phase.distribution = distribution
        phase.keyCount = keys
        return phase
    }

    private static let everything = OperationMix([
        .init(.get, weight: 5), .init(.set, weight: 2), .init(.insert), .init(.delete),
        .init(.invalidate, weight: 0.5), .init(.readModifyWrite), .init(.scan, weight: 1.5),
    ])

    private static let distributions: [KeyDistribution] = [
        .uniform, .sequential, .zipf(exponent: 0.99), .hotSet(requestShare: 0.9, keyShare: 0.01),
        .latest(exponent: 0.99),
    ]

    private static func requests(
        _ stream: inout RequestStream, _ count: Int
    ) -> [WorkloadRequest] {
        (0..<count).map { _ in stream.next() }
    }

    @Test func kindsComeAsOftenAsTheMixSays() {
        var stream = RequestStream(
            Self.phase(Self.everything, .uniform), part: .all, seed: 1)
        var counts: [OperationKind: Int] = [:]
        for request in Self.requests(&stream, 120_000) { counts[request.kind, default: 0] += 1 }
        let kinds = OperationKind.allCases
        let expected = kinds.map { Self.everything.share(of: $0) * 120_000 }
        #expect(abs(Tally.deviation(kinds.map { counts[$0] ?? 0 }, expected: expected)) < 5)
    }

    @Test(arguments: distributions)
    func theSamePartAndSeedAskForTheSame(distribution: KeyDistribution) {
        let phase = Self.phase(Self.everything, distribution)
        func drawn(_ part: KeyPart, _ seed: UInt64) -> [WorkloadRequest] {
            var stream = RequestStream(phase, part: part, seed: seed)
            return Self.requests(&stream, 500)
        }
        let part = KeyPart(index: 1, count: 3)
        #expect(drawn(part, 1) == drawn(part, 1))
        #expect(drawn(part, 1) != drawn(part, 2))
        #expect(drawn(part, 1) != drawn(KeyPart(index: 2, count: 3), 1))
    }

    @Test(arguments: distributions, [true, false])
    func aKeyIsChangedByItsOwnerAlone(distribution: KeyDistribution, verifies: Bool) {
        var phase = Self.phase(Self.everything, distribution, keys: 100)
        phase.verifies = verifies
        for index in 0..<3 {
            var stream = RequestStream(phase, part: KeyPart(index: index, count: 3), seed: 9)
            var insertedKeys: [Int] = []
            for request in Self.requests(&stream, 5_000) {
                if request.kind.changesKey || verifies { #expect(request.key % 3 == index) }
                if request.kind == .insert {
                    insertedKeys.append(request.key)
                } else {
                    #expect(request.key < 100 || insertedKeys.contains(request.key))
                }
            }
            let first = [102, 100, 101][index]
            #expect(insertedKeys == insertedKeys.indices.map { first + 3 * $0 })
            #expect(stream.insertedCount == insertedKeys.count)
        }
    }

    @Test func readersWithoutVerificationAskForAllKeys() {
        let phase = Self.phase(.only(.get), .uniform, keys: 50)
        var stream = RequestStream(phase, part: KeyPart(index: 2, count: 5), seed: 1)
        #expect(Set(Self.requests(&stream, 5_000).map(\.key)) == Set(0..<50))
    }

    @Test func aKeyOftenReadIsAlsoOftenWrittenByItsOwner() {
        let phase = Self.phase(.reads(0.5), .zipf(exponent: 1.2))
        let owner = KeyPart(index: 0, count: 2)  // Rank 1 is scattered to key 0.
        var stream = RequestStream(phase, part: owner, seed: 3)
        let requests = Self.requests(&stream, 20_000)
        let written = requests.filter { $0.kind == .set && $0.key == 0 }.count
        let read = requests.filter { $0.kind == .get && $0.key == 0 }.count
        #expect(written > 1_500 && read > 1_500)
    }

    @Test(arguments: [1, 3])
    func turnsOfChangesGoThroughTheOwnKeysOnce(partCount: Int) {
        var phase = WorkloadPhase(name: "fill")
        phase.isFill = true
        phase.keyCount = 100
        phase.mix = .only(.get)
        var stored: [Int] = []
        for thread in 0..<partCount {
            let share = ThreadShare(thread: thread, of: partCount)
            var stream = RequestStream(phase, part: share.keys, seed: 1)
            let requests = Self.requests(&stream, phase.operationCount(of: share) ?? 0)
            #expect(requests.allSatisfy { $0.kind == .set })
            stored += requests.map(\.key)
        }
        #expect(stored.sorted() == Array(0..<100))
    }

    /// Neighbours that went through all keys in step would warm each other.
    @Test func oneAfterTheOtherEachPartGoesRoundItsOwnKeys() {
        let phase = Self.phase(.reads(0.5), .sequential, keys: 10)
        for (index, own) in [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]].enumerated() {
            var stream = RequestStream(phase, part: KeyPart(index: index, count: 3), seed: 1)
            let keys = Self.requests(&stream, 400).map(\.key)
            #expect(keys == keys.indices.map { own[$0 % own.count] })
        }
    }

    @Test(arguments: [1, 4], [true, false])
    func aScanStaysAmongTheKeysThatAreThere(partCount: Int, verifies: Bool) {
        var phase = Self.phase(YCSBWorkload.e.mix, .uniform, keys: 400)
        phase.verifies = verifies
        let part = KeyPart(index: partCount - 1, count: partCount)
        var stream = RequestStream(phase, part: part, seed: 2)
        var own = Set((0..<part.ownCount(of: 400)).map { part.key(at: $0) })
        for request in Self.requests(&stream, 5_000) {
            if request.kind == .insert { own.insert(request.key) }
            for index in 0..<request.keyCount {
                let key = request.key + index * request.keyStep
                #expect(own.contains(key) || (!verifies && key < 400))
            }
        }
    }

    @Test func scansAreOfEveryLengthAsOften() {
        let phase = Self.phase(.only(.scan), .uniform, keys: 100_000_000)
        var stream = RequestStream(phase, part: .all, seed: 2)
        var counts = Array(repeating: 0, count: WorkloadLimits.scanKeysMax)
        for request in Self.requests(&stream, 100_000) { counts[request.keyCount - 1] += 1 }
        #expect(abs(Tally.deviation(counts)) < 5)
    }

    @Test func whatAPhaseInsertedTheNextOneKnows() {
        let phase = Self.phase(.only(.insert), .latest(exponent: 0.99), keys: 10)
        let part = KeyPart(index: 0, count: 2)
        var first = RequestStream(phase, part: part, seed: 1)
        _ = Self.requests(&first, 3)
        var second = RequestStream(
            phase, part: part, seed: 2, insertedCount: first.insertedCount)
        #expect(Self.requests(&second, 2).map(\.key) == [16, 18])
    }

    @Test func sizesBelongToTheKey() {
        var phase = Self.phase(.reads(0.5), .uniform, keys: 20)
        phase.keySize = .uniform(16...64)
        phase.valueSize = .uniform(32...1_024)
        var stream = RequestStream(phase, part: .all, seed: 1)
        var sizes: [Int: [Int]] = [:]
        for request in Self.requests(&stream, 2_000) {
            let both = [request.keyBytes, request.valueBytes]
            #expect(sizes.updateValue(both, forKey: request.key) ?? both == both)
            #expect(both == [stream.keyBytes(of: request.key), stream.valueBytes(of: request.key)])
        }
        #expect(Set(sizes.values).count > 10)
    }

    @Test func aPartWithoutAKeyIsAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) {
            var phase = WorkloadPhase(name: "small")
            phase.keyCount = 2
            _ = RequestStream(phase, part: KeyPart(index: 2, count: 3), seed: 1)
        }
    }
}
