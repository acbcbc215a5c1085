import CacheModel
import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    /// `martlet inspect` as a process, on files that lie on a disk.
    @Suite struct InspectTests {
        private struct Line: Decodable {
            var node: String
            var inUse: Bool
            var closed: Bool
            var live: Int
            var tombstones: Int
            var damage: Int
            var verdict: String
            var entries: Int
        }

        private static func line(_ ending: Program.Ending) throws -> Line {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Line.self, from: Data(ending.output.utf8))
        }

        private static func filled(_ path: String) throws -> TierFixture {
            let tier = try TierFixture(at: path, node: try #require(NodeID("n1")))
            let value = String(repeating: "v", count: 500)
            for number in 0..<500 { try tier.set("key \(number)", value) }
            try tier.remove("key 7")
            return tier
        }

        @Test func inspectReportsATierInUseAndClosedWithoutChangingIt() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let path = directory.file("shard-0.tier").path
            let tier = try Self.filled(path)
            let running = try await Program.run(["inspect", directory.url.path, "--json"])
            #expect(running.code == 0, "\(running)")
            let now = try Self.line(running)
            #expect(now.inUse && !now.closed && now.live == 499 && now.verdict == "recovers")
            try tier.close()

            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let ended = try await Program.run(["inspect", path, "--json"])
            #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended)")
            let then = try Self.line(ended)
            #expect(!then.inUse && then.closed && then.node == "n1" && then.tombstones == 1)
            #expect(then.entries == 499 && then.damage == 0)
            let text = try await Program.run(["inspect", "--records", path])
            #expect(text.output.contains("a node recovers 499 entries"), "\(text)")
            #expect(text.output.contains("key 499"), "\(text)")
            #expect(text.output.hasPrefix("segment  offset"), "\(text)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }

        @Test func damageEndsWith5AndWhatIsNoTierWith64() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let path = directory.file("shard-0.tier").path
            try Self.filled(path).close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            // In the first record of the first segment; the tail does not have it any more.
            let records = 3 * 4_096 + 1_048_576 + 32
            try file.seek(toOffset: UInt64(records + 30))
            try file.write(contentsOf: Data([0xFF]))
            try file.close()
            let damaged = try await Program.run(["inspect", path])
            #expect(damaged.code == 5, "\(damaged)")
            #expect(damaged.output.contains("damage       segment 1: 1 damaged"), "\(damaged)")

            let text = directory.file("notes.txt").path
            try Data("nothing of ours".utf8).write(to: URL(fileURLWithPath: text))
            let several = try await Program.run(["inspect", text, directory.file("gone").path])
            #expect(several.code == 65 && several.output.isEmpty, "\(several)")
            #expect(several.complaints.count == 2)
            #expect(several.errors.contains("is no disk tier"))
            #expect(several.errors.contains("is not there; correct the path"))
        }
    }
}
