import ArgumentParser
import MartletClient
import TestSupport

/// How long one get takes that nobody else is beside.
struct AloneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alone", abstract: "One get at a time: how long each takes.")

    @OptionGroup var subject: Subject
    @Option var gets = 30_000

    func run() async throws {
        try await subject.withClient { client, keys in
            for place in Workers.Place.allCases {
                let preference: (any TaskExecutor)? =
                    place == .executor ? client.executor : nil
                let times = try await Task(executorPreference: preference) {
                    var times: [Double] = []
                    times.reserveCapacity(gets)
                    for number in 0..<gets {
                        let began = ContinuousClock.now
                        guard try await client.get(keys[number % keys.count]) != nil else {
                            throw GaveUp("a key is missing")
                        }
                        times.append((ContinuousClock.now - began) / .microseconds(1))
                    }
                    return times
                }.value
                let sorted = times.sorted()
                for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
                    let time = sorted[Int(Double(sorted.count - 1) * share)]
                    Report.print("\(place.rawValue), one at a time: \(name)", [time]) {
                        Report.number($0, digits: 1) + " µs"
                    }
                }
            }
        }
    }
}
