import CacheModel
import MartletClient

/// Somebody who reads and invalidates one request after the other, whatever is done to the cluster.
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
    private let task: Task<Void, Never>

    init(_ client: CacheClient) {
        task = Task { [tally] in
            while !Task.isCancelled {
                var failure: String?
                do throws(CacheError) {
                    _ = try await client.get(.named("traffic"))
                    _ = try await client.invalidate(
                        [Scope(.tag(.named("traffic"), in: .default))], wait: .none)
                } catch {
                    // Whoever ends it does so in the middle of a request.
                    failure = error.code == .cancelled ? nil : "\(error)"
                }
                await tally.note(failure)
                await breath()
            }
        }
    }

    /// Waits until more requests have been answered.
    func goesOn(_ count: Int = 3) async throws {
        let before = await tally.done
        try await eventually("requests go on") { await tally.done >= before + count }
    }

    func end() async {
        task.cancel()
        await task.value
    }
}
