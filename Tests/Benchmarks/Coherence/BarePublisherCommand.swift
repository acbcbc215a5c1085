import ArgumentParser
import Foundation
import ZeroMQ

/// What a publisher is at least: takes records, writes and synchronizes those of a turn at once,
/// and sends them to everybody.
struct BarePublisherCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-publisher", abstract: "A part of the bare comparison.",
        shouldDisplay: false)

    @Option var ready: String
    @Option var file: String

    private static let messagesPerTurn = 256
    private static let batchBytesMax = 128 << 10

    func run() throws {
        let context = try Context()
        let input = try Socket(context, .pull)
        let output = try Socket(context, .pub)
        try output.set(.sendHighWaterMark, to: 1_000_000)
        try output.set(.linger, to: .seconds(1))
        let endpoints = [
            try input.bind(Endpoint(BareProtocol.anywhere)).description,
            try output.bind(Endpoint(BareProtocol.anywhere)).description,
        ]
        try Data(endpoints.joined(separator: "\n").utf8)
            .write(to: URL(fileURLWithPath: ready), options: .atomic)
        let log = try SynchronizedFile(URL(fileURLWithPath: file), reserving: 512 << 20)
        var poller = Poller()
        _ = poller.add(input, for: .readable)
        var isRunning = true
        while isRunning {
            guard try poller.wait(timeout: .seconds(60)) > 0 else { return }
            isRunning = try turn(input, output, log)
        }
    }

    /// - Returns: whether it goes on.
    private func turn(
        _ input: borrowing Socket, _ output: borrowing Socket, _ log: SynchronizedFile
    ) throws -> Bool {
        var frame = Frame()
        var batches: [[UInt8]] = [[]]
        var taken = 0
        var goesOn = true
        while taken < Self.messagesPerTurn, try input.receive(into: &frame) {
            taken += 1
            if BareProtocol.number(frame.bytes) == BareProtocol.end { goesOn = false }
            if batches[batches.count - 1].count + frame.bytes.count > Self.batchBytesMax {
                batches.append([])
            }
            BareProtocol.append(frame.bytes, to: &batches[batches.count - 1])
        }
        try log.append(Array(batches.joined()))
        for batch in batches where !batch.isEmpty { try BareProtocol.send(batch, on: output) }
        return goesOn
    }
}
