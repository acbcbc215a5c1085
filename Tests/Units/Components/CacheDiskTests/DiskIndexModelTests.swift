import Testing
import TestSupport

@testable import CacheDisk

/// An index against a dictionary, over long runs of chance.
@Suite struct DiskIndexModelTests {
    /// An index, its model and the chance of one run.
    private struct Run: ~Copyable {
        let space: FingerprintSpace
        var index: DiskIndex
        var model = IndexModel()
        var generator: SeededGenerator

        init(_ space: FingerprintSpace, seed: UInt64) {
            self.space = space
            index = DiskIndex(seed: seed)
            generator = SeededGenerator(seed: seed)
        }

        /// - Returns: whether the index answered as the model did.
        mutating func step(puts: Int) -> Bool {
            let fingerprint = space.fingerprint(&generator)
            let draw = generator.below(100)
            if draw < puts { return put(fingerprint) }
            switch draw % 4 {
            case 0:
                return index.remove(fingerprint).map(IndexModel.Record.init)
                    == model.records.removeValue(forKey: fingerprint)
            case 1: return removeAt(fingerprint)
            case 2: return mark(fingerprint)
            default:
                return index.find(fingerprint).map(IndexModel.Record.init)
                    == model.records[fingerprint]
            }
        }

        private mutating func put(_ fingerprint: Fingerprint) -> Bool {
            let record = IndexModel.Record(
                address: RecordAddress(rawValue: generator.next() >> 30),
                lengthClass: LengthClass(bytes: 1 + generator.below(LengthClass.recordBytesMax)),
                isUsed: false)
            let old = model.records.updateValue(record, forKey: fingerprint)
            return index.put(fingerprint, at: record.address, record.lengthClass)
                .map(IndexModel.Record.init) == old
        }

        /// Its address, or one beside it.
        private mutating func address(of fingerprint: Fingerprint) -> RecordAddress {
            guard let record = model.records[fingerprint] else { return RecordAddress(rawValue: 1) }
            let isRight = generator.below(4) > 0
            return isRight ? record.address : RecordAddress(rawValue: record.address.rawValue ^ 1)
        }

        private mutating func removeAt(_ fingerprint: Fingerprint) -> Bool {
            let address = address(of: fingerprint)
            let answer = index.remove(fingerprint, at: address).map(IndexModel.Record.init)
            guard let record = model.records[fingerprint], record.address == address else {
                return answer == nil
            }
            model.records[fingerprint] = nil
            return answer == record
        }

        private mutating func mark(_ fingerprint: Fingerprint) -> Bool {
            let address = address(of: fingerprint)
            index.markUsed(fingerprint, at: address)
            if model.records[fingerprint]?.address == address {
                model.records[fingerprint]?.isUsed = true
            }
            return true
        }
    }

    @Test(arguments: FingerprintSpace.allCases)
    func anIndexIsADictionary(space: FingerprintSpace) {
        var run = Run(space, seed: 4_711)
        // Filled, held, emptied, and filled again.
        for (puts, steps) in [(80, 20_000), (45, 10_000), (5, 25_000), (60, 10_000)] {
            for number in 0..<steps where !run.step(puts: puts) {
                Issue.record("\(space): step \(number) of \(puts) %")
                return
            }
            let agrees = run.model.agrees(with: run.index)
            #expect(agrees, "\(space), \(puts) %")
            #if CACHE_CHECKED
                run.index.checkEverything()
            #endif
        }
        run.index.removeAll()
        run.model.records = [:]
        let agrees = run.model.agrees(with: run.index)
        #expect(agrees)
    }
}
