import CacheModel

@testable import CacheDisk
@testable import TierSamples

/// A disk tier's whole file, as a start finds it after a process that was killed. Some of it is
/// changed: bytes, or fields of pieces with their checksums made right.
///
///     tier 1, later 1 (how much is written after the start), then each change:
///     manner 1 (odd: a field), place 2, offset 2, width 1, value 1 to 9
enum TierFuzz: FuzzTarget {
    static let name = "tier"

    private static let changesMax = 8
    private static let roundsMax = 100_000
    private static let written = (0..<16).map { TierFuzzing.Written(seed: UInt64($0)) }
    private static let forges = written.map {
        TierForge($0.image, DiskBench.superblock(TierFuzzing.geometry))
    }

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let number = script.below(written.count)
        let laterCount = script.below(64)
        var forge = forges[number]
        // Files are found to say what was written only if whoever changed them did not forge sums.
        var truth: [String: String]? = written[number].truth
        var damage: [(place: Int, value: UInt8)] = []
        for _ in 0..<changesMax where !script.isAtEnd {
            let isField = script.isOdd()
            let place = Int(script.word())
            let offset = Int(script.word())
            let width = [1, 2, 4, 8][script.below(4)]
            let value = script.wild()
            if isField {
                truth = nil
                forge.change(place, offset, width, to: value)
            } else {
                damage.append(((place << 16 | offset), UInt8(truncatingIfNeeded: value)))
            }
        }
        var image = forge.image
        for one in damage { image[one.place % image.count] = one.value }
        start(with: image, truth, laterCount)
    }

    private static func start(with image: [UInt8], _ truth: [String: String]?, _ laterCount: Int) {
        inspect(image)
        let whole = DiskBench.superblock(TierFuzzing.geometry)
        let owner = TierOwner(
            node: whole.node, shard: 0, of: 1, machine: DiskBench.machine,
            geometry: TierFuzzing.geometry)
        let head = Array(image.prefix(DiskLimits.pageBytes))
        guard case .resume(let found) = DiskOpening.judge(head, for: owner),
            found.tier == whole.tier
        else { return }
        var bench = DiskBench(recovering: image, TierFuzzing.geometry)
        settle(&bench)
        if bench.unusable != nil { return }
        check(bench.tier.state == .open, "a start ends with a tier that is open, or none")
        read(&bench, truth)
        goOn(with: &bench, isTrue: truth != nil, laterCount)
    }

    private static func settle(_ bench: inout DiskBench) {
        for _ in 0..<roundsMax {
            while bench.step() {}
            bench.tier.tick()
            if bench.queue.isEmpty, !bench.tier.hasDueWork { return }
        }
        fatalError("it never ends")
    }

    private static func read(_ bench: inout DiskBench, _ truth: [String: String]?) {
        for number in 0..<TierFuzzing.keyCount {
            let key = TierFuzzing.key(number)
            let value = bench.get(key)
            guard let truth else { continue }
            check(value == nil || value == truth[key], "\(key) is \(value ?? ""), which it is not")
        }
    }

    /// The ring goes on over what was changed, and the next start finds what was written.
    private static func goOn(with bench: inout DiskBench, isTrue: Bool, _ count: Int) {
        guard count > 0 else { return }
        var later: [String: String] = [:]
        for step in 0..<count * 4 {
            let key = TierFuzzing.key(step % TierFuzzing.keyCount)
            let value = "later \(step)" + String(repeating: "-", count: step * 37 % 900)
            later[key] = bench.set(key, value) == nil ? value : nil
            settle(&bench)
        }
        var next = DiskBench(recovering: bench.image, TierFuzzing.geometry)
        settle(&next)
        check(next.tier.state == .open, "a tier that went on can be started again")
        guard isTrue else { return }
        for (key, value) in later {
            let found = next.get(key)
            check(found == nil || found == value, "\(key) went on as another value")
        }
    }

    private static func inspect(_ image: [UInt8]) {
        do throws(InspectionFailure) {
            let found = try InspectionBench().inspect(image)
            check(found.records.count < image.count, "a file holds so many records")
        } catch {
            check(!error.description.isEmpty, "a failure can be said")
        }
    }
}

extension TierForge {
    /// Sets a field of a piece, as far as it has that many bytes.
    fileprivate mutating func change(_ number: Int, _ offset: Int, _ width: Int, to value: UInt64) {
        let place = places[number % places.count]
        let room = place.range.count - width
        guard room >= 0 else { return }
        set(value, at: offset % (room + 1), width, in: place)
    }
}
