import ArgumentParser
import ZeroMQ

/// What a node is at least: takes batches, and says of some records when they arrived.
struct BareSubscriberCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-subscriber", abstract: "A part of the bare comparison.",
        shouldDisplay: false)

    @Option var publisher: String
    @Option var answers: String
    @Option var number: Int

    func run() throws {
        let context = try Context()
        let input = try Socket(context, .sub)
        try input.subscribe(prefix: [])
        try input.connect(Endpoint(publisher))
        let output = try Socket(context, .push)
        try output.set(.linger, to: .seconds(1))
        try output.connect(Endpoint(answers))
        var poller = Poller()
        _ = poller.add(input, for: .readable)
        var frame = Frame()
        var isRunning = true
        while isRunning {
            guard try poller.wait(timeout: .seconds(60)) > 0 else { return }
            while try input.receive(into: &frame) {
                let arrivedAt = Time.now
                try BareProtocol.forEachRecord(in: frame.bytes) { record in
                    let id = BareProtocol.number(record)
                    if BareProtocol.isAnswered(record) {
                        try answer([id, arrivedAt, UInt64(number)], on: output)
                    }
                    if id == BareProtocol.end { isRunning = false }
                }
            }
        }
    }

    private func answer(_ words: [UInt64], on output: borrowing Socket) throws {
        try BareProtocol.send(words.withUnsafeBytes { [UInt8]($0) }, on: output)
    }
}
