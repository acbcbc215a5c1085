import TestSupport

#if os(Linux)
    import CacheModel
    import Foundation
    import MartletClient
    import Testing

    extension EndToEndTests {
        /// A log that lies on a full disk.
        @Suite(.serialized) struct LostLogTests {
            @Test(arguments: ["text", "json"])
            func aLogThatCannotBeWrittenEndsNothing(format: String) async throws {
                let directory = try TemporaryDirectory()
                defer { directory.remove() }
                try FileManager.default.createSymbolicLink(
                    atPath: directory.file("publisher.err").path, withDestinationPath: "/dev/full")
                let control = "ipc://\(directory.file("c").path)"
                let publisher = try RunningProgram(
                    [
                        "publisher", "--nodes", "1", "--bind", control,
                        "--live", "ipc://\(directory.file("l").path)", "--log-format", format,
                        "--log-level", "debug",
                    ], name: "publisher", in: directory.url)
                defer { publisher.kill() }
                let client = try CacheClient(CacheClientConfiguration(endpoints: [control]))
                try await eventually("the publisher answers") {
                    guard publisher.isRunning else { return true }
                    return try await client.cluster.topology(isRefreshed: true).nodes.count == 1
                }
                await client.close()
                try #require(publisher.isRunning)
                publisher.signal(SIGTERM)
                #expect(try await publisher.ended() == 0)
            }
        }
    }
#endif
