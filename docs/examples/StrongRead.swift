import CacheModel
import MartletClient

/// Reads that reflect a known invalidation, and reads that reflect every earlier one.
enum StrongRead {
    @Sendable static func run(_ cache: CacheClient) async throws {
        guard let key = CacheKey("price:1") else { return }
        let receipt = try await cache.invalidate(key: "price:1")

        // At least this position: pass it to other processes, such as in a cookie.
        var options = ReadOptions()
        options.atLeast = receipt.position
        let found = try await cache.get(key, options: options)
        print("at \(receipt.position) or later:", found?.position.description ?? "no value")

        // Every invalidation with a receipt from before the call, whichever client ordered it.
        var strong = ReadOptions()
        strong.isFresh = true
        do throws(CacheError) {
            print("strong:", try await cache.get(key, options: strong)?.position ?? .none)
        } catch {
            guard error.code == .behind else { throw error }
            print("the publisher cannot be reached, so nothing is certain:", error.message)
        }
    }
}
