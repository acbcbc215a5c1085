import ArgumentParser
import ByteCoding
import CMeasure
import CacheDisk

/// The disk tier's index: memory of an entry while it grows, and what a call costs.
struct DiskIndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disk-index", abstract: "Memory and time of the disk tier's index.")

    @Option var entries = 5_000_000
    @Option(help: "Up to so many for the figures of memory.") var grownTo = 10_000_000
    @Option var rounds = 9

    func run() {
        measureMemory()
        measureTime()
    }

    /// From a fifth on memory is looked at all the way.
    private func measureMemory() {
        var stage = IndexStage()
        let before = Int(measure_resident_bytes())
        var (resident, allocated) = (Sample(), Sample())
        let marks: Set<Int> = [grownTo / 10, grownTo / 5, grownTo / 2, grownTo]
        for number in 1...grownTo {
            stage.put(number)
            guard number >= grownTo / 10, number % 20_000 == 0 else { continue }
            let perEntry = 1 / Double(number)
            allocated.add(Double(stage.index.memoryBytes) * perEntry)
            resident.add(Double(Int(measure_resident_bytes()) - before) * perEntry)
            guard marks.contains(number) else { continue }
            Report.print(
                "bytes an entry, \(number) entries: allocated, resident",
                Report.number(Double(stage.index.memoryBytes) * perEntry, digits: 2) + ", "
                    + Report.number(resident.last, digits: 2))
        }
        Report.print(
            "from \(grownTo / 10) entries on: allocated, least to most",
            Report.number(allocated.least, digits: 2) + " … "
                + Report.number(allocated.greatest, digits: 2), asked: "≤ 12")
        Report.print(
            "from \(grownTo / 10) entries on: resident, least to most",
            Report.number(resident.least, digits: 2) + " … "
                + Report.number(resident.greatest, digits: 2), asked: "≤ 12")
        stage.index.removeAll()
        Report.print(
            "resident after removing all", Report.mebibytes(Int(measure_resident_bytes()) - before))
    }

    private func measureTime() {
        var stage = IndexStage()
        var longest = 0.0
        let all = measured { for number in 1...entries { stage.put(number) } }
        Report.print("put, from 0 to \(entries)", Report.nanoseconds(all / Double(entries)))
        var (hit, miss, replace, churn) = (Sample(), Sample(), Sample(), Sample())
        var draw = Draw(seed: 7)
        let count = 1 << 20
        for round in 0..<rounds {
            let numbers = (0..<count).map { _ in 1 + draw.below(entries) }
            hit.add(measured { stage.find(numbers, expecting: true) } / Double(count))
            replace.add(measured { for number in numbers { stage.put(number) } } / Double(count))
            let others = numbers.map { $0 + 1 << 40 }
            miss.add(measured { stage.find(others, expecting: false) } / Double(count))
            let first = entries + round * count / 16
            let fresh = measured {
                for number in first..<first + count / 16 { stage.put(number + 1) }
            }
            churn.add(fresh / Double(count / 16))
        }
        for number in 0..<count {
            let one = measured { stage.put(number + 1 << 41) }
            longest = max(longest, one)
        }
        let digits = { (sample: Sample) in Report.nanoseconds(sample.median) }
        Report.print("find, hit", digits(hit))
        Report.print("find, miss", digits(miss))
        Report.print("put, replacing", digits(replace))
        Report.print("put, new", digits(churn))
        Report.print("longest of \(count) puts, new", Report.microseconds(longest))
    }
}

/// An index and numbered fingerprints.
private struct IndexStage: ~Copyable {
    var index = DiskIndex(seed: 1)
    private let lengthClass = LengthClass(bytes: 152)

    @inline(__always)
    private func fingerprint(_ number: Int) -> Fingerprint {
        Fingerprint(
            hash: StableHash.mix(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15))
    }

    mutating func put(_ number: Int) {
        let address = RecordAddress(rawValue: UInt64(truncatingIfNeeded: number) & 0x3_FFFF_FFFF)
        _ = index.put(fingerprint(number), at: address, lengthClass)
    }

    /// A few of those that are not there share a fingerprint with one that is.
    func find(_ numbers: [Int], expecting isThere: Bool) {
        var found = 0
        for number in numbers where index.find(fingerprint(number)) != nil { found += 1 }
        let share = Double(found) / Double(numbers.count)
        precondition(isThere ? found == numbers.count : share < 0.01, "as many as were put")
    }
}
