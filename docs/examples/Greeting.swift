import MartletClient

/// Store, read, and invalidate by tag.
enum Greeting {
    @Sendable static func run(_ cache: CacheClient) async throws {
        try await cache.set("greeting", "hello", tags: ["words"], lifetime: .after(.seconds(600)))
        print(try await cache.get("greeting") ?? "none")

        let receipt = try await cache.invalidate(tag: "words")
        print("invalidated at \(receipt.position), applied by \(receipt.applied.map(\.node))")
        if !receipt.isComplete { print("not yet by \(receipt.pending)") }
        print(try await cache.get("greeting") ?? "none")
    }
}
