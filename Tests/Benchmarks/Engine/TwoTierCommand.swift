import ArgumentParser
import CacheDisk
import Foundation

/// Request traces through both tiers: what admission and reinsertion cost and save.
struct TwoTierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "two-tier",
        abstract: "Misses and bytes written by admission to the disk tier, over request traces.",
        discussion: """
            Each trace – time,key,size a line, plain or gzip; of a folder all *.csv.gz – goes \
            through the real memory tier and the real disk tier, whose commands are carried out \
            at once on an array. Every entry has the same size. Beside each variant: misses and \
            bytes written to the file, against admitting everything without reinsertion.
            """)

    @Argument(help: "Traces, or folders of them.") var traces: [String]
    @Option(help: "Bytes of each value.") var valueBytes = 100
    @Option(help: "Thousandths of the trace's keys that memory holds.") var memory = 10
    @Option(help: "Thousandths of the trace's keys that the disk has room for.") var disk = 100
    @Option(help: "Requests for each entry after which they count half.")
    var periods: [Int] = [AdmissionSketch.periodUsual]

    func run() throws {
        let all = TwoTierReplay.Variant(name: "all", countMin: 0, reinserts: false)
        var variants = [all]
        variants.append(.init(name: "all + reinsert", countMin: 0, reinserts: true))
        for period in periods {
            let name = "sketch, \(period)"
            variants.append(.init(name: name, reinserts: false, period: period))
            variants.append(.init(name: name + " + reinsert", reinserts: true, period: period))
        }
        var sums = variants.map { _ in TwoTierReplay.Figures() }
        let files = try traces.flatMap(TraceRequests.files)
        for file in files {
            let trace = try TraceRequests(file)
            print("\(file.lastPathComponent): \(trace.keys.count) requests, \(trace.keyCount) keys")
            var baseline: TwoTierReplay.Figures?
            for (index, variant) in variants.enumerated() {
                let replay = TwoTierReplay(
                    variant, memoryCount: max(10, trace.keyCount * memory / 1_000),
                    diskCount: trace.keyCount * disk / 1_000, valueBytes: valueBytes)
                for key in trace.keys { replay.request(key) }
                let figures = replay.figures(against: baseline)
                if baseline == nil { baseline = figures }
                show(variant.name, figures)
                sums[index].add(figures)
            }
        }
        print("mean of \(files.count) traces")
        for (index, variant) in variants.enumerated() {
            show(variant.name, sums[index].divided(by: Double(files.count)))
        }
    }

    private func show(_ name: String, _ figures: TwoTierReplay.Figures) {
        let columns = [
            "miss ratio " + Report.number(figures.missRatio, digits: 4),
            "misses " + String(format: "%+.2f %%", (figures.misses - 1) * 100),
            "writes " + Report.number(figures.writes, digits: 3) + " ×",
            "written/payload " + Report.number(figures.amplification, digits: 3),
            "sketch " + Report.number(figures.sketchBytes, digits: 2) + " B an entry",
        ]
        print(
            "  " + name.padding(toLength: 24, withPad: " ", startingAt: 0)
                + columns.joined(separator: "   "))
    }
}

/// The keys of a trace's requests, numbered.
struct TraceRequests {
    private(set) var keys: [UInt32] = []
    private(set) var keyCount = 0

    /// The traces that a path names.
    static func files(_ path: String) throws -> [URL] {
        let url = URL(fileURLWithPath: path)
        guard
            url.hasDirectoryPath
                || (try? url.resourceValues(forKeys: [.isDirectoryKey]))?
                    .isDirectory == true
        else { return [url] }
        return try FileManager.default.contentsOfDirectory(
            at: url, includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasSuffix(".csv.gz") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    init(_ file: URL) throws {
        var numbers: [Data: UInt32] = [:]
        for line in try Self.bytes(file).split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ","), maxSplits: 2)
            guard fields.count >= 2, let first = line.first, first != UInt8(ascii: "t") else {
                continue
            }
            let number = numbers[fields[1], default: UInt32(numbers.count)]
            numbers[fields[1]] = number
            keys.append(number)
        }
        keyCount = numbers.count
    }

    private static func bytes(_ file: URL) throws -> Data {
        let plain = try Data(contentsOf: file)
        guard plain.starts(with: [0x1F, 0x8B]) else { return plain }
        let (gzip, output) = (Process(), Pipe())
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", file.path]
        gzip.standardOutput = output
        try gzip.run()
        let unpacked = try output.fileHandleForReading.readToEnd() ?? Data()
        gzip.waitUntilExit()
        guard gzip.terminationStatus == 0 else {
            throw ValidationError("\(file.path) cannot be unpacked")
        }
        return unpacked
    }
}
