import CacheModel
import MartletClient
import TestSupport
import Testing

extension EndToEndTests {
    /// The client's calls with names as text, and values of any type.
    @Suite(.serialized) struct NamedCallsTests {
        private struct User: Codable, Equatable {
            var name: String
            var age: Int
        }

        @Test func whatIsStoredByNameIsReadAndInvalidatedByName() async throws {
            try await withCluster { cluster in
                let cache = cluster.client
                try await cache.set("greeting", "hello", tags: ["words", "short"])
                #expect(try await cache.get("greeting") == "hello")
                #expect(try await cache.get("greeting", as: [UInt8].self) == Array("hello".utf8))
                #expect(try await cache.get("greeting", in: "images") == nil)
                #expect(try await cache.invalidate(tag: "long").isComplete)
                #expect(try await cache.get("greeting") == "hello")
                #expect(try await cache.invalidate(tags: ["long", "words"]).isComplete)
                #expect(try await cache.get("greeting") == nil)

                for call in ["key", "prefix", "namespace", "delete"] {
                    try await cache.set(
                        "user:1", [1, 2], lifetime: .after(.seconds(60)), in: "users")
                    #expect(try await cache.get("user:1", as: [UInt8].self, in: "users") == [1, 2])
                    switch call {
                    case "key": try await cache.invalidate(key: "user:1", in: "users")
                    case "prefix": try await cache.invalidate(prefix: "user:", in: "users")
                    case "namespace": try await cache.invalidate(namespace: "users")
                    default: try await cache.delete("user:1", in: "users")
                    }
                    #expect(try await cache.get("user:1", in: "users") == nil, "\(call)")
                }
            }
        }

        @Test func aValueIsLoadedOnceAndKeptAsText() async throws {
            try await withCluster { cluster in
                let cache = cluster.client
                for _ in 0..<3 {
                    let value = try await cache.load("text", tags: ["t"]) { "from the origin" }
                    #expect(value == "from the origin")
                }
                #expect(try await cache.get("text") == "from the origin")
                let kept = try await cache.load("text") { "another" }
                #expect(kept == "from the origin")
                try await cache.invalidate(tag: "t")
                #expect(try await cache.load("text") { "another" } == "another")
                await #expect(throws: CancellationError.self) {
                    try await cache.load("none") { () throws -> String in
                        throw CancellationError()
                    }
                }
            }
        }

        @Test func valuesOfCodableTypesAreKeptAsJSON() async throws {
            try await withCluster { cluster in
                let cache = cluster.client
                let ada = User(name: "Ada", age: 36)
                try await cache.set("ada", json: ada, tags: ["people"])
                #expect(try await cache.get("ada", json: User.self) == ada)
                let loaded = try await cache.load(json: "bob") {
                    User(name: "Bob", age: 5)
                }
                #expect(loaded == User(name: "Bob", age: 5))
                #expect(try await cache.get("bob", json: User.self) == loaded)
                #expect(try await cache.get("nobody", json: User.self) == nil)
            }
        }

        @Test func aValueOfAnotherTypeIsAnErrorThatSaysSo() async throws {
            try await withCluster { cluster in
                let cache = cluster.client
                try await cache.set("k", [0xFF, 0xFE])
                for body: () async throws -> Void in [
                    { _ = try await cache.get("k") },
                    { _ = try await cache.load("k") { "text" } },
                    { _ = try await cache.get("k", json: User.self) },
                ] {
                    let error = await #expect(throws: CacheError.self) { try await body() }
                    #expect(error?.code == .unreadableValue)
                    #expect(error?.message.contains("the value of k") == true)
                }
            }
        }

        @Test func whatIsNoNameIsRefusedBeforeAnythingIsSent() async throws {
            let cache = try CacheClient(endpoints: ["tcp://127.0.0.1:1"])
            for body: () async throws -> Void in [
                { _ = try await cache.get("") },
                { _ = try await cache.get("k", in: "not a name") },
                { try await cache.set("k", "v", tags: [String(repeating: "t", count: 256)]) },
                { try await cache.invalidate(tags: []) },
                { try await cache.invalidate(key: String(repeating: "k", count: 4_097)) },
                { _ = try await cache.load("", from: { "v" }) },
                { try await cache.set("k", json: Double.nan) },
            ] {
                let error = await #expect(throws: CacheError.self) { try await body() }
                #expect(error?.code == .invalidArgument, "\(String(describing: error))")
            }
            await cache.close()
        }
    }
}
