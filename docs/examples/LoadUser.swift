import CacheModel
import MartletClient

/// A user of the database, cached as JSON.
struct User: Codable, Sendable {
    var id: Int
    var name: String
}

/// Stands for a database.
enum Database {
    static func user(_ id: Int) async throws -> (user: User, version: UInt64) {
        (User(id: id, name: "Ada"), 7)
    }
}

/// Read through the cache: one caller in the whole cluster asks the database, the others wait.
enum LoadUser {
    @Sendable static func run(_ cache: CacheClient) async throws {
        let user = try await cache.load(
            json: "user:1", tags: ["users"], lifetime: .after(.seconds(60))
        ) {
            try await Database.user(1).user
        }
        print(user.name)
        try await withOptions(cache)
        // After the database has committed a change:
        try await cache.invalidate(tag: "users")
    }

    /// The closure may return options that depend on what it read.
    private static func withOptions(_ cache: CacheClient) async throws {
        guard let key = CacheKey("user:1:name"), let tag = Tag("users") else { return }
        let name = try await cache.load(key) { _ in
            let (user, version) = try await Database.user(1)
            var options = StoreOptions()
            options.tags = [tag]
            options.version = Version(version)
            return LoadedValue(user.name, options: options)
        }
        print(name.bytes.count, "bytes,", name.notStored.map { "not stored: \($0)" } ?? "stored")
    }
}
