import CacheModel
import MartletClient

/// Reads that reflect a known invalidation, and reads that reflect every earlier one.
enum StrongRead {
    @Sendable static func run(_ cache: CacheClient) async throws {
        guard let key = CacheKey("price:1") else { return }
        let receipt = try await cache.invalidate(key: "price:1")
        try await cache.set("price:1", "9.90")

        // At least this position: pass it to other processes, such as in a cookie.
        var options = ReadOptions()
        options.atLeast = receipt.position
        let found = try await cache.get(key, options: options)
        print(
            "at \(receipt.position) or later:", found.map { "as of \($0.position)" } ?? "no value")

        // Every invalidation with a receipt from before the call, whichever client ordered it.
        var strong = ReadOptions()
        strong.isFresh = true
        do throws(CacheError) {
            let found = try await cache.get(key, options: strong)
            print("strong:", found.map { "as of \($0.position)" } ?? "no value")
        } catch {
            guard error.code == .behind else { throw error }
            print("the publisher cannot be reached, so nothing is certain:", error.message)
        }
    }
}
