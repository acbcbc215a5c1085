import CacheModel
import MartletClient
import TestSupport

/// Some who read and invalidate, each one request after the other, whatever is done to the cluster.
///
/// A publisher that is started again is away for as long as the machine takes. After a second the
/// client says that it cannot be reached and that nothing was sent; such an invalidation is
/// repeated.
struct Traffic {
    actor Tally {
        private(set) var done = 0
        private(set) var failures: [String] = []

        func note(_ failure: String?) {
            done += 1
            if let failure { failures.append(failure) }
        }
    }

    let tally = Tally()
    private let tasks: [Task<Void, Never>]

    /// - Parameter count: so many at a time, so that one waits while the log writes for another.
    init(_ client: CacheClient, count: Int = 4) {
        tasks = (0..<count).map { [tally] _ in
            Task {
                while !Task.isCancelled {
                    await tally.note(await Self.failure(of: client))
                    await breath()
                }
            }
        }
    }

    private static func failure(of client: CacheClient) async -> String? {
        do throws(CacheError) {
            _ = try await client.get(.named("traffic"))
            try await invalidate(by: client)
            return nil
        } catch {
            // Whoever ends it does so in the middle of a request.
            return error.code == .cancelled ? nil : "\(error)"
        }
    }

    private static func invalidate(by client: CacheClient) async throws(CacheError) {
        let end = ContinuousClock.now + patience
        while true {
            do throws(CacheError) {
                _ = try await client.invalidate(
                    [Scope(.tag(.named("traffic"), in: .default))], wait: .none)
                return
            } catch {
                let isUnsent = error.code == .disconnected && !error.mayHaveHappened
                guard isUnsent, ContinuousClock.now < end else { throw error }
            }
            await breath()
        }
    }

    /// Waits until more requests are over, as many as `count` of each.
    func goesOn(_ count: Int = 3) async throws {
        let wanted = await tally.done + count * tasks.count
        try await eventually("requests go on") { await tally.done >= wanted }
    }

    func end() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
