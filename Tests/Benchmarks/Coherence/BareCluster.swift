import Foundation
import TestSupport
import Threading
import ZeroMQ

/// libzmq alone: a publisher that synchronizes each batch, and subscribers, each a process.
final class BareCluster {
    /// What a subscriber said of a record: when it had it, and when the word of it came back.
    struct Arrival: Sendable {
        var number: UInt64
        var hadAt: UInt64
        var heardAt: UInt64
    }

    let count: Int
    /// Where its publisher takes records.
    private(set) var input = ""
    var processIDs: [Int32] { children.map(\.processID) }
    private let context: Context
    private let output: Socket
    private let answers: Socket
    private let directory: TemporaryDirectory
    private var children: [ChildProcess] = []

    /// Starts one, hands it to `body` once every subscriber hears, and ends it.
    static func run<Value>(
        subscribers count: Int, _ context: Context, _ body: (BareCluster) throws -> Value
    ) throws -> Value {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let cluster = try BareCluster(count, context, directory)
        defer { cluster.clear() }
        try cluster.start()
        let value = try body(cluster)
        try cluster.end()
        return value
    }

    private init(_ count: Int, _ context: Context, _ directory: TemporaryDirectory) throws {
        self.count = count
        self.context = context
        self.directory = directory
        output = try Socket(context, .push)
        answers = try Socket(context, .pull)
    }

    private func start() throws {
        let answersAt = try answers.bind(Endpoint(BareProtocol.anywhere)).description
        let ready = directory.file("ready")
        let publisher = try ChildProcess(
            ProgramOptions.own,
            ["bare-publisher", "--ready", ready.path, "--file", directory.file("log").path],
            name: "publisher", in: directory)
        children.append(publisher)
        while !FileManager.default.fileExists(atPath: ready.path) {
            guard publisher.isRunning else { throw GaveUp(publisher.errors) }
            Time.pause(nanoseconds: 5_000_000)
        }
        let endpoints = String(decoding: try Data(contentsOf: ready), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        input = endpoints[0]
        try output.connect(Endpoint(input))
        for number in 0..<count {
            children.append(
                try ChildProcess(
                    ProgramOptions.own,
                    [
                        "bare-subscriber", "--publisher", endpoints[1], "--answers", answersAt,
                        "--number", "\(number)",
                    ], name: "subscriber-\(number)", in: directory))
        }
        try warmUp()
    }

    /// Sends until every subscriber has heard something, and then nothing is on its way any more.
    private func warmUp() throws {
        var heard: Set<UInt64> = []
        let deadline = Time.now + 20_000_000_000
        let record = BareProtocol.record(BareProtocol.warmUp, isAnswered: true, bytes: 64)
        while heard.count < count {
            guard Time.now < deadline else { throw GaveUp("not every subscriber hears") }
            try BareProtocol.send(record, on: output)
            Time.pause(nanoseconds: 20_000_000)
            _ = try take { heard.insert($0[2]) }
        }
        Time.pause(nanoseconds: 200_000_000)
        _ = try take { _ in }
    }

    func send(_ number: Int, isAnswered: Bool, bytes: Int) throws {
        let record = BareProtocol.record(UInt64(number), isAnswered: isAnswered, bytes: bytes)
        try BareProtocol.send(record, on: output)
    }

    /// Hands over every answer that is there.
    private func take(_ body: ([UInt64]) -> Void) throws -> Int {
        var frame = Frame()
        var taken = 0
        while try answers.receive(into: &frame) {
            taken += 1
            body((0..<3).map { frame.bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) })
        }
        return taken
    }

    /// Waits for so many answers of every subscriber.
    func arrivals(each: Int) throws -> [Arrival] {
        var poller = Poller()
        _ = poller.add(answers, for: .readable)
        var arrivals: [Arrival] = []
        let deadline = Time.now + 120_000_000_000
        while arrivals.count < each * count {
            guard Time.now < deadline else { throw GaveUp("answers are missing") }
            _ = try poller.wait(timeout: .milliseconds(100))
            _ = try take {
                arrivals.append(Arrival(number: $0[0], hadAt: $0[1], heardAt: Time.now))
            }
        }
        return arrivals
    }

    private func end() throws {
        try BareProtocol.send(
            BareProtocol.record(BareProtocol.end, isAnswered: false, bytes: 64), on: output)
        let deadline = Time.now + 5_000_000_000
        while children.contains(where: \.isRunning), Time.now < deadline {
            Time.pause(nanoseconds: 5_000_000)
        }
    }

    private func clear() {
        for child in children { child.kill() }
    }
}
