import Foundation
import MartletClient

/// The programs of this directory, each in its file. They need a cluster: `martlet up`.
///
///     swift run examples greeting
@main enum Examples {
    private static let programs: [String: @Sendable (CacheClient) async throws -> Void] = [
        "greeting": Greeting.run, "load": LoadUser.run, "strong": StrongRead.run,
        "service": UserService.run,
    ]

    static func main() async {
        guard let name = CommandLine.arguments.dropFirst().first, let run = programs[name] else {
            print("usage: examples \(programs.keys.sorted().joined(separator: " | "))")
            exit(64)
        }
        let environment = ProcessInfo.processInfo.environment
        do {
            let cache = try CacheClient(
                endpoints: [environment["MARTLET_CLUSTER"] ?? "tcp://127.0.0.1:7400"])
            try await run(cache)
            await cache.close()
        } catch {
            print("\(name): \(error)")
            exit(1)
        }
    }
}
