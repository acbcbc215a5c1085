import ArgumentParser
import MartletClient

/// How many gets a second, one await each.
struct AwaitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "awaits",
        abstract: "Gets a second from many tasks, on the client's executor and elsewhere, in turn.")

    @OptionGroup var subject: Subject
    @Option(help: "Tasks, and so gets in flight.")
    var tasks = 512
    @Option(help: "Seconds that are measured in each round.")
    var seconds = 2.0
    @Option var rounds = 5
    @Option(help: "Only tasks of this place: executor or ordinary.")
    var only: String?

    func run() async throws {
        try await subject.withClient { client, keys in
            var figures: [Workers.Place: [Workers.Figures]] = [:]
            for _ in 0..<rounds {
                for place in Workers.Place.allCases where only == nil || only == place.rawValue {
                    let workers = Workers(
                        client: client, keys: keys, place: place, taskCount: tasks)
                    figures[place, default: []].append(try await workers.run(seconds: seconds))
                }
            }
            for place in Workers.Place.allCases {
                if let all = figures[place] { print(place, all) }
            }
        }
    }

    private func print(_ place: Workers.Place, _ all: [Workers.Figures]) {
        let asked =
            place == .executor ? "≥ 600 k/s; stretch 1.20 M/s" : "≥ 300 k/s; stretch 400 k/s"
        let name = "\(place.rawValue), \(tasks) tasks: "
        Report.print(name + "awaits", all.map(\.perSecond), asked: asked, as: Report.rate)
        Report.print(
            name + "processor time of the client, each", all.map(\.processorNanosecondsEach)
        ) { Report.number($0, digits: 0) + " ns" }
        Report.print(
            name + "allocations, each", all.map(\.allocationsEach), asked: "1, the value"
        ) { Report.number($0, digits: 3) }
    }
}
