import ArgumentParser
import ByteCoding
import CacheModel
import CacheWire
import Foundation
import TestSupport
import Threading
import ZeroMQ

#if canImport(Glibc)
    import Glibc
#endif

/// What an entry in memory costs while the disk has as much to do as it can.
///
/// One connection asks for few entries, which stay in memory, at a fixed rate, and its times are
/// what is measured: alone; beside a second connection that asks for entries on the disk with many
/// requests in flight; beside one that asks as often for entries in memory; and beside one that
/// asks for those as fast as it can. What is lost in the last is the processor's doing alone.
///
/// Nothing that is on the disk is asked for twice after its file has been driven out of the page
/// cache; so what is read comes from the disk.
struct DiskBusyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disk-busy", abstract: "Memory hits while the disk is saturated.")

    /// Entries that stay in memory for each of the two connections.
    static let hotCount = 64

    @OptionGroup var programs: ProgramOptions
    @Option var memory = "64MiB"
    @Option var disk = "2GiB"
    @Option(help: "Entries, of which memory has room for few.") var entries = 200_000
    @Option(help: "Bytes of each value.") var valueBytes = 4_096
    @Option(help: "Memory hits asked for in a second.") var rate = 1_000
    @Option(help: "Requests in flight at the second connection.") var inFlight = 64
    @Option(help: "Gets a second there; as many as are answered if not given.")
    var besideRate: Double?
    @Option(help: "Of each of the four parts of a round.") var seconds = 2
    @Option var rounds = 5

    func run() throws {
        var plan = BenchmarkCluster.Plan()
        (plan.nodeCount, plan.memory, plan.disk) = (1, memory, disk)
        let context = try Context()
        try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            guard let endpoint = cluster.nodes.first else { throw GaveUp("no node") }
            try store(try Peer(context, to: endpoint))
            try measure(endpoint, context, cluster)
        }
    }

    private func measure(
        _ endpoint: String, _ context: Context, _ cluster: BenchmarkCluster
    ) throws {
        let file = cluster.directory.file("n1-disk/shard-0.tier").path
        let order = (Self.hotCount * 2..<entries).shuffled()
        var next = 0
        var (times, ratios, rates, costs) = (
            Self.samples, Self.samples, Self.samples, Self.samples
        )
        for round in 1...rounds {
            let idle = try part(nil, endpoint, context, cluster)
            try Self.leavePageCache(file)
            var load = BesideLoad(endpoint: endpoint, keys: order[next...], inFlight: inFlight)
            load.perSecond = besideRate
            let before = Self.fetched(by: cluster.nodeIDs)
            let disk = try part(load, endpoint, context, cluster)
            let bytes = Self.fetched(by: cluster.nodeIDs) - before
            next = (next + Int(disk.rate) * seconds) % (order.count / 2)
            load.keys = ArraySlice(Self.hotCount..<Self.hotCount * 2)
            load.perSecond = disk.rate
            let hits = try part(load, endpoint, context, cluster)
            load.perSecond = nil
            let most = try part(load, endpoint, context, cluster)
            for (index, one) in [idle, disk, hits, most].enumerated() {
                times[index].add(one.times)
                ratios[index].add(one.times.quantile(0.99) / idle.times.quantile(0.99))
                rates[index].add(one.rate)
                costs[index].add(one.cores)
            }
            print(
                "round \(round): \(Report.rate(disk.rate)) from the disk, "
                    + Report.number(bytes / disk.rate / Double(seconds), digits: 0)
                    + " B fetched for each")
        }
        for (index, name) in ["nothing", "the disk", "memory", "memory, flat out"].enumerated() {
            Report.print("memory hit beside \(name)", percentilesOf: times[index])
            Report.print(
                "… p99 to that of idle, median of rounds", Report.number(ratios[index].median),
                asked: index == 1 ? "≤ 1.5" : nil)
            Report.print("… gets beside it", Report.rate(rates[index].median))
            Report.print(
                "… processors that the node keeps busy", Report.number(costs[index].median))
        }
    }

    private static var samples: [Sample] { Array(repeating: Sample(), count: 4) }

    // MARK: Parts

    private func part(
        _ load: BesideLoad?, _ endpoint: String, _ context: Context, _ cluster: BenchmarkCluster
    ) throws -> (times: Sample, rate: Double, cores: Double) {
        let before = ProcessorTime.nanoseconds(of: cluster.nodeIDs)
        let until = Time.now + UInt64(seconds) * 1_000_000_000
        let beside = try load.map { try $0.start(until: until, context) }
        let times = try hits(until: until, try Peer(context, to: endpoint))
        let answered = try beside?.join().get() ?? 0
        let cost = ProcessorTime.nanoseconds(of: cluster.nodeIDs) - before
        return (times, Double(answered) / Double(seconds), cost / Double(seconds) / 1e9)
    }

    /// Asks at even moments. What is late because the answer before it was counts from when it was
    /// due; what is late because this thread woke up late counts from when it was sent.
    private func hits(until end: UInt64, _ peer: Peer) throws -> Sample {
        var times = Sample()
        var (due, answeredAt) = (Time.now, UInt64(0))
        let period = 1_000_000_000 / UInt64(rate)
        var number = 0
        while due < end {
            Time.pause(until: due)
            let began = answeredAt > due ? due : Time.now
            try peer.send(Asking.get(Asking.key(number % Self.hotCount)))
            let (status, _) = try peer.receive(Asking.result)
            guard status == .hit else { throw GaveUp("an entry is not there") }
            answeredAt = Time.now
            times.add(Double(answeredAt) - Double(began))
            due += period
            number += 1
        }
        return times
    }

    // MARK: The node

    private func store(_ peer: Peer) throws {
        let value = [UInt8](repeating: 7, count: valueBytes)
        for first in stride(from: 0, to: entries, by: 32) {
            let numbers = first..<min(first + 32, entries)
            let message = Asking.stores(of: numbers, value: value)
            try peer.ask(message) { answer in
                guard answer.type == .results else { throw GaveUp("entries were not stored") }
            }
            // What comes faster than the disk takes it would be in memory only.
            Time.pause(nanoseconds: 1_000_000)
        }
    }

    private static func leavePageCache(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw GaveUp("the tier's file cannot be opened") }
        defer { close(descriptor) }
        // What is not written yet would stay.
        guard fsync(descriptor) == 0 else { throw GaveUp("the tier's file is not synchronized") }
        #if os(Linux)
            guard posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
                throw GaveUp("the tier's file does not leave the page cache")
            }
        #endif
    }

    /// Bytes that these processes have had fetched from disks; 0 where the system does not tell.
    private static func fetched(by processes: [Int32]) -> Double {
        var bytes = 0.0
        for process in processes {
            let data = FileManager.default.contents(atPath: "/proc/\(process)/io") ?? Data()
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                if words.first == "read_bytes:" { bytes += words.last.flatMap { Double($0) } ?? 0 }
            }
        }
        return bytes
    }
}
