import CacheClientCore
import CacheModel
import CacheWire
@testable import MartletClient
import Testing
import Threading

/// Questions that wait at a publisher while the client finds another leader.
@Suite struct SupersededLeaderTests {
    /// The second publisher leads, and gives no topology. The round ends with the word of the first
    /// one, which led before: that is better than none.
    @Test func questionsMoveInTheTurnInWhichARoundEnds() throws {
        let cluster = try ScriptedCluster(publishers: 2)
        let driven = try DrivenWorker(cluster)
        let (worker, requests) = (driven.worker, driven.worker.requests)
        let (first, second) = (cluster.publishers[0].endpoint, cluster.publishers[1].endpoint)
        let now = DrivenWorker.after(milliseconds: 0)
        let ofFirst = Topology(cluster.report)
        cluster.lead(1)
        requests.foundPublisher(of: ofFirst, from: first, at: now)
        requests.foundPublisher(of: Topology(cluster.report), from: second, at: now)
        #expect(requests.takeSuperseded() == [first])
        let question = AdminRequest(ofHeadUntil: DrivenWorker.after(milliseconds: 30_000))
        requests.accept(question, at: now)
        #expect(worker.connections[second]?.questions.count == 1)
        requests.hunt.wanted(at: now)
        worker.continueHunt(at: now)
        requests.offer = (ofFirst, first, true)
        requests.hunt.wasOffered(at: now)
        worker.continueHunt(at: now)
        #expect(requests.leaders.leader == first)
        #expect(worker.connections[second]?.questions.count == 0)
        #expect(worker.connections[first]?.questions.count == 1)
        question.settle(.failure(.closed))
    }
}
