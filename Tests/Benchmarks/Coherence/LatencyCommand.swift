import ArgumentParser
import CacheModel
import CacheWire
import TestSupport
import Threading
import ZeroMQ

/// From publish to applied at every node, at a steady rate.
///
/// Both sides are asked by an open loop in this process and answer to it: Martlet by reads that
/// wait at each node for the record, libzmq by subscribers that send a word of it. The way there
/// and back is the same. A bare subscriber also reads the clock when it has the record; what lies
/// between that and its word is the way back, and is shown.
struct LatencyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Publish to applied at a steady rate.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 8
    @Option var rate = 5_000
    @Option var seconds = 8
    @Option(help: "Every how many records one is waited for, at every node.") var every = 50
    @Option var rounds = 3

    func run() throws {
        var (martlet, receipts, bare, hop) = (Sample(), Sample(), Sample(), Sample())
        var ratios: [[Double]] = [[], [], []]
        var costs = [Sample(), Sample()]
        for round in 1...rounds {
            let base = try bareRun()
            let ours = try martletRun()
            print(
                "round \(round): bare p50 \(Report.milliseconds(base.back.median)), martlet p50 "
                    + Report.milliseconds(ours.times.median))
            ratios[0].append(ours.times.median / base.back.median)
            ratios[1].append(ours.times.median / base.had.median)
            ratios[2].append(ours.times.quantile(0.99) / base.back.quantile(0.99))
            costs[0].add(ours.cost)
            costs[1].add(base.cost)
            martlet.add(ours.times)
            receipts.add(ours.receipts)
            bare.add(base.back)
            hop.add(base.had)
        }
        Report.print("publish to applied and back, \(nodes) nodes", percentilesOf: martlet)
        // Written, synchronized and broadcast; read by the asker between two sends.
        Report.print("publish to receipt of the publisher alone", percentilesOf: receipts)
        Report.print("libzmq and one fdatasync for a batch, and back", percentilesOf: bare)
        Report.print("the same until the subscriber has it", percentilesOf: hop)
        Report.print(
            "ratio of p50, both with the way back", Report.number(Sample(ratios[0]).median),
            asked: "≤ 1.5")
        Report.print(
            "ratio of p50, the bare one without the way back",
            Report.number(Sample(ratios[1]).median))
        Report.print(
            "ratio of p99, both with the way back", Report.number(Sample(ratios[2]).median))
        for (name, cost) in zip(["martlet", "the bare processes"], costs) {
            Report.print(
                "processor time of \(name), for one record",
                Report.number(cost.median / 1e3, digits: 0) + " µs")
        }
    }

    private func loop() -> OpenLoop {
        OpenLoop(count: rate * seconds, perSecond: rate, startsAt: Time.now + 500_000_000)
    }

    // MARK: Martlet

    private func martletRun() throws -> (times: Sample, receipts: Sample, cost: Double) {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        plan.memory = "64MiB"
        let context = try Context()
        return try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let peer = try Peer(context, to: cluster.publisher)
            let base = try Flood.run(peer, count: 1, window: 1) { Self.frame($0) }
            let loop = loop()
            let probes = try Probes.start(
                Probes.Plan(nodes: cluster.nodes, loop: loop, every: every, base: base), context)
            var answeredAt: [UInt64] = []
            let before = ProcessorTime.nanoseconds(of: cluster.processIDs)
            let sentAt = try loop.run { index in
                try peer.send(Self.frame(index))
                while try peer.take(Asking.receipt) != nil { answeredAt.append(Time.now) }
            }
            Self.noteLateness(loop.lateness(sentAt))
            while answeredAt.count < loop.count {
                _ = try peer.receive(Asking.receipt)
                answeredAt.append(Time.now)
            }
            let receipts = zip(answeredAt, sentAt).map { Double($0) - Double($1) }
            let arrivals = try probes.join().get()
            let cost = ProcessorTime.nanoseconds(of: cluster.processIDs) - before
            let times = arrivals.map { Double($0.at) - Double(sentAt[$0.index]) }
            return (Sample(times), Sample(receipts), cost / Double(loop.count))
        }
    }

    /// A record of 64 bytes.
    private static func frame(_ index: Int) -> [UInt8] {
        do {
            let scope = try Asking.scope(ofKey: Asking.shortKey(index))
            return Asking.invalidation(of: [scope], wait: .none)
        } catch {
            preconditionFailure("eight bytes are a key: \(error)")
        }
    }

    /// A loop that falls behind measures itself.
    private static func noteLateness(_ lateness: Sample) {
        guard lateness.quantile(0.99) > 2e6 else { return }
        print("the asker was late: p99 \(Report.milliseconds(lateness.quantile(0.99)))")
    }

    // MARK: libzmq alone

    private func bareRun() throws -> (had: Sample, back: Sample, cost: Double) {
        let context = try Context()
        return try BareCluster.run(subscribers: nodes, context) { cluster in
            let (loop, every) = (loop(), every)
            let before = ProcessorTime.nanoseconds(of: cluster.processIDs)
            let sender = try Self.start(loop, every: every, to: cluster.input, context)
            let arrivals = try cluster.arrivals(each: loop.count / every)
            let sentAt = try sender.join().get()
            Self.noteLateness(loop.lateness(sentAt))
            let had = arrivals.map { Double($0.hadAt) - Double(sentAt[Int($0.number)]) }
            let back = arrivals.map { Double($0.heardAt) - Double(sentAt[Int($0.number)]) }
            let cost = ProcessorTime.nanoseconds(of: cluster.processIDs) - before
            return (Sample(had), Sample(back), cost / Double(loop.count))
        }
    }

    private static func start(
        _ loop: OpenLoop, every: Int, to endpoint: String, _ context: Context
    ) throws -> OwnedThread<Result<[UInt64], GaveUp>> {
        try OwnedThread(name: "asker") {
            do {
                let socket = try Socket(context, .push)
                try socket.set(.linger, to: .seconds(1))
                try socket.connect(Endpoint(endpoint))
                let sentAt = try loop.run { index in
                    let record = BareProtocol.record(
                        UInt64(index), isAnswered: (index + 1) % every == 0, bytes: 64)
                    try BareProtocol.send(record, on: socket)
                }
                return .success(sentAt)
            } catch {
                return .failure(GaveUp("the asker ended: \(error)"))
            }
        }
    }
}
