import ArgumentParser

/// Stores into room, over what is there, and where something must leave for each.
struct StoresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores", abstract: "Stores: new, replacing, evicting.")

    @Option var entries = 1_000_000
    @Option var rounds = 5

    func run() {
        var (new, replacing, evicting) = (Sample(), Sample(), Sample())
        for _ in 0..<rounds {
            let rate = { (time: Double) in Double(entries) / time * 1e9 }
            var roomy = Subject(budgetBytes: 2 << 30)
            new.add(rate(measured { roomy.fill(entries, .init()) }))
            replacing.add(rate(measured { roomy.fill(entries, .init()) }))
            var full = Subject(budgetBytes: entries * 40)
            full.fill(entries / 2, .init())
            evicting.add(
                rate(
                    measured {
                        for number in 0..<entries { full.store(number + entries, .init()) }
                    }))
        }
        Report.print("set, new", Report.rate(new.median))
        Report.print("set, replacing", Report.rate(replacing.median))
        Report.print("set, evicting one for each", Report.rate(evicting.median))
    }
}
