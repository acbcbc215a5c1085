import Histogram

@testable import LoadTest

/// Runs that never happened, the same from the same seed: what a report of them looks like is
/// looked at in a browser, and parts of it in tests.
struct SampleRun {
    private var state: UInt64
    /// Keys per second of the steady part.
    var keysPerSecond = 400_000
    /// Latencies are recorded once for so many keys, which keeps tests quick.
    var keysPerLatency: UInt64 = 400

    init(seed: UInt64 = 7) { state = seed }

    private mutating func unit() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) / Double(1 << 53)
    }

    /// A body around `middle` with a tail that is the longer the rarer.
    private mutating func latency(around middle: Double) -> UInt64 {
        let body = middle * (0.6 + 0.5 * unit() + 0.4 * unit())
        let rare = unit()
        let tail = rare > 0.999 ? 18.0 : rare > 0.98 ? 3.5 : 1
        return UInt64(body * tail * (1 + unit() * 0.6))
    }

    /// One phase, a second a moment.
    mutating func phase(_ name: String, seconds: Int, at offset: Double = 0) -> PhaseFigures {
        var phase = PhaseFigures(name: name)
        phase.offsetSeconds = offset
        phase.seconds = Double(seconds) + 0.08
        phase.asked = "closed loop, 512 in flight, for \(seconds) s"
        var gets = OperationFigures(kind: "get")
        var sets = OperationFigures(kind: "set")
        var invalidations = OperationFigures(kind: "invalidate", isInvalidation: true)
        for second in 0..<seconds {
            var moment = Moment()
            moment.seconds = 1
            fill(&moment, &gets, &sets, warmth: 0.4 + 0.6 * min(1, Double(second + 1) / 12))
            fill(&moment, &invalidations)
            phase.series.add(moment, at: Double(second))
        }
        phase.operations = [gets, sets, invalidations]
        phase.generator.processorSeconds = phase.seconds * 0.71
        phase.generator.threadSeconds = phase.seconds
        phase.generator.limit = .cluster
        return phase
    }

    private mutating func fill(
        _ moment: inout Moment, _ gets: inout OperationFigures, _ sets: inout OperationFigures,
        warmth: Double
    ) {
        let keys = UInt64(Double(keysPerSecond) * (0.93 + 0.1 * unit()))
        let hitCount = UInt64(Double(keys) * 0.95 * warmth * 0.98)
        let readCount = UInt64(Double(keys) * 0.95)
        moment.keyCount = keys
        moment.operationCount = keys
        moment.hitCount = hitCount
        moment.missCount = readCount - hitCount
        gets.operationCount += readCount
        gets.keyCount += readCount
        gets.hitCount += hitCount
        gets.missCount += readCount - hitCount
        gets.valueBytes = (gets.valueBytes ?? 0) + hitCount * 100
        sets.operationCount += keys - readCount
        sets.keyCount += keys - readCount
        sets.valueBytes = (sets.valueBytes ?? 0) + (keys - readCount) * 100
        for _ in 0..<(readCount / keysPerLatency) { note(290_000, &moment, &gets) }
        for _ in 0..<((keys - readCount) / keysPerLatency) { note(340_000, &moment, &sets) }
    }

    private mutating func fill(_ moment: inout Moment, _ kind: inout OperationFigures) {
        for _ in 0..<50 {
            let nanoseconds = latency(around: 1_400_000)
            kind.operationCount += 1
            kind.keyCount += 1
            kind.latency.note(nanoseconds: nanoseconds)
            moment.invalidationLatency.note(nanoseconds: nanoseconds)
        }
    }

    private mutating func note(
        _ middle: Double, _ moment: inout Moment, _ kind: inout OperationFigures
    ) {
        let nanoseconds = latency(around: middle)
        moment.latency.note(nanoseconds: nanoseconds)
        kind.latency.note(nanoseconds: nanoseconds)
    }

    /// What is the same in all samples.
    static func frame(_ title: String) -> RunFigures {
        var run = RunFigures(
            title: title, version: "0.1.0",
            subject: "1 000 000 keys of 16 B, values of 100 B, zipf:0.99, 95 % reads, 512 in flight"
        )
        run.asked = [
            RunFigures.Fact("cluster", "tcp://127.0.0.1:7400"),
            RunFigures.Fact("keys", "1 000 000 of 16 B, zipf:0.99"),
            RunFigures.Fact("values", "100 B"),
            RunFigures.Fact("mix", "95 % get, 5 % set; 50 invalidations a second"),
            RunFigures.Fact("loop", "closed, 512 in flight on 4 connections of 2 threads"),
            RunFigures.Fact("seed", "1"),
        ]
        var machine = MachineFacts()
        machine.hostName = "loader-1"
        machine.system = "Debian 12, Linux 6.1.0, x86_64"
        machine.processor = "AMD EPYC 7B13"
        machine.processorCount = 2
        machine.memoryBytes = 8 << 30
        machine.build = "release"
        var worker = WorkerFigures(machine: machine, threadCount: 2, connectionCount: 4)
        worker.startedAt = 1_795_424_000_000
        run.workers = [worker]
        return run
    }
}
