import CacheModel
import MartletClient

extension GatewayService {
    /// Waits until every node of the cluster has answered once, for a limited time.
    ///
    /// A refused connection is retried after up to a second. A gateway that listened before would
    /// refuse the first requests although the cluster is available.
    func meet() async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let meeting = Task { [watch] in
            while !Task.isCancelled, await !watch.look().isComplete {
                try await Task.sleep(for: GatewayLimits.meetingPause)
            }
            end.yield()
        }
        let patience = Task {
            try await Task.sleep(for: GatewayLimits.meetingTimeMax)
            end.yield()
        }
        for await _ in ends { break }
        meeting.cancel()
        patience.cancel()
    }

    /// Whether an answer came: also a refusal of metrics to this gateway's key pair.
    static func isReached(_ answer: Result<[StatusSnapshot], CacheError>) -> Bool {
        switch answer {
        case .success: true
        case .failure(let error): error.code == .unauthorised
        }
    }
}
