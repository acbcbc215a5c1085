import CacheModel
import Foundation
import MartletClient
import TestSupport
import Testing

#if os(Linux)
    extension EndToEndTests {
        /// Commands that run until they are stopped, with an output that cannot be written.
        @Suite(.serialized) struct FullOutputTests {
            @Test(arguments: [[], ["--no-receipts"], ["--json"]])
            func tailEndsWithAnErrorOnceALineCannotBeWritten(flags: [String]) async throws {
                var plan = ClusterPlan()
                plan.nodeCount = 1
                try await withCluster(plan) { cluster in
                    let endpoint = try #require(cluster.ready.publisher.endpoint)
                    let errors = cluster.directory.file("tail.err")
                    try Data().write(to: errors)
                    let tail = Process()
                    tail.executableURL = try Program.url()
                    tail.arguments = ["tail", "--from", "1:0", "--cluster", endpoint] + flags
                    tail.standardInput = FileHandle.nullDevice
                    tail.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
                    tail.standardError = try FileHandle(forWritingTo: errors)
                    try tail.run()
                    defer { if tail.isRunning { tail.terminate() } }
                    try await cluster.view.invalidate(.everything)
                    try await eventually("tail ends", within: .seconds(20)) { !tail.isRunning }
                    #expect(tail.terminationStatus != 0)
                    let said = try String(contentsOf: errors, encoding: .utf8)
                    #expect(said.contains("cannot write the output"), "\(said)")
                }
            }
        }
    }
#endif
