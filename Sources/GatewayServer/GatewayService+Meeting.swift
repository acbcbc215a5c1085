import CacheModel
import MartletClient

extension GatewayService {
    /// Waits until every node of the cluster has answered once, a little while at most.
    ///
    /// A connection that was refused is tried again after up to a second. A gateway that listened
    /// before would refuse the first requests of a cluster that is there.
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

    /// Whether an answer came: also one that figures are not for this gateway's key.
    static func isReached(_ answer: Result<[StatusSnapshot], CacheError>) -> Bool {
        switch answer {
        case .success: true
        case .failure(let error): error.code == .unauthorised
        }
    }
}
