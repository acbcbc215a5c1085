import CacheModel
import MartletClient
import Testing

@testable import martlet

/// What is typed to have keys loaded ahead of need.
@Suite struct PrefetchCommandTests {
    @Test func itTakesAllItsFlags() throws {
        let command: PrefetchCommand = try Sample.command(
            "prefetch --file keys.txt --rate 200/s --in-flight 16 --skip 7 --max-age 5m --node n1 "
                + "--namespace images --timeout 3s --json")
        #expect(try command.place == .file("keys.txt") && command.skip == 7)
        #expect(command.options.perSecond == 200 && command.options.inFlightMax == 16)
        #expect(command.options.maxAge == .seconds(300))
        #expect(command.options.node?.name == "n1")
        #expect(command.options.timeout == .seconds(3))
        #expect(command.room.room.name == "images" && command.cluster.json)
    }

    @Test func withoutFlagsItIsBoundedByItsWindowAlone() throws {
        let command: PrefetchCommand = try Sample.command("prefetch a b")
        #expect(try command.place == .arguments([Sample.key("a"), Sample.key("b")]))
        #expect(command.options.perSecond == nil && command.options.inFlightMax == 64)
        #expect(command.options.timeout == .seconds(30) && command.skip == 0)
    }

    @Test func keysComeFromOnePlace() throws {
        let input: PrefetchCommand = try Sample.command("prefetch -")
        #expect(try input.place == .input)
        let file: PrefetchCommand = try Sample.command("prefetch --file -")
        #expect(try file.place == .input)
        let command: PrefetchCommand = try Sample.command("prefetch --command ./list")
        #expect(try command.place == .command("./list"))
    }

    @Test(arguments: [
        "prefetch", "prefetch a --file f", "prefetch - a", "prefetch --file f --command c",
        "prefetch a --rate 0/s", "prefetch a --rate 1.5/s", "prefetch a --rate fast",
        "prefetch a --in-flight 0", "prefetch a --in-flight 1025", "prefetch a --skip -1",
    ])
    func whatMakesNoSenseIsRefused(line: String) {
        #expect(throws: (any Error).self) {
            let _: PrefetchCommand = try Sample.command(line)
        }
    }

    @Test func aRateMayBeANumberAlone() throws {
        let command: PrefetchCommand = try Sample.command("prefetch a --rate 50")
        #expect(command.options.perSecond == 50)
    }
}
