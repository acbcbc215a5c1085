import CacheModel
import Testing

extension EndToEndTests {
    /// What a person or a script sees of the commands, against real nodes.
    @Suite(.serialized) struct CommandLineTests {
        @Test func whatIsTypedIsConfirmedExplainedAndCompleted() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let place = String(endpoint.dropFirst("tcp://".count))
                func run(_ words: String...) async throws -> Program.Ending {
                    try await Program.run(words + ["--cluster", place])
                }
                let stored = try await run("set", "k", "v", "--tag", "news", "--quiet")
                #expect(stored.code == 0 && stored.output.isEmpty && stored.errors.isEmpty)

                // Standard input of these is no terminal.
                for words in [["all"], ["namespace", "default"]] {
                    let refused = try await Program.run(
                        ["invalidate"] + words + ["--cluster", place])
                    #expect(refused.code == 64 && refused.errors.contains("say --yes"))
                }
                #expect(try await run("get", "k").output == "v\n")

                let misspelt = try await run("invalidate", "tag", "nwes")
                #expect(misspelt.code == 0 && misspelt.errors.contains("covers no entry"))
                let done = try await run("invalidate", "tag", "news")
                #expect(done.code == 0 && done.output.contains(" · 1 entry covered · "))
                #expect(try await run("get", "k").code == 1)
                let explained = try await run("explain", "k")
                #expect(
                    explained.output.contains(
                        "Not there: an entry was hidden by the invalidation of tag news at 1:2."),
                    "\(explained)")

                let nodes = try await Program.run([
                    "---completion", "drain", "--", "positional@0", "2", "0", "martlet", "drain",
                    "",
                    "--cluster", place,
                ])
                #expect(nodes.output.split(separator: "\n") == ["n1", "n2", "n3"], "\(nodes)")
            }
        }
    }
}
