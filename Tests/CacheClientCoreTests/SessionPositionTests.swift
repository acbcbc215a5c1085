import CacheClientCore
import CacheModel
import Testing

@Suite struct SessionPositionTests {
    private func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    @Test func aSessionNeverGoesBack() {
        var session = SessionPosition()
        session.saw(at(5))
        session.wrote(at(3))
        session.saw(at(4))
        session.wrote(at(2))
        #expect(session.seen == at(5))
        #expect(session.written == at(3))
        session.saw(at(1, epoch: 2))
        #expect(session.seen == at(1, epoch: 2))
    }

    @Test func aReadDemandsTheLatestOfWhatIsAskedAndPromised() {
        var session = SessionPosition()
        let none = session.demand(nil, readsYourWrites: true, readsMonotonically: true)
        #expect(none == nil)
        session.wrote(at(3))
        session.saw(at(7))
        #expect(session.demand(nil, readsYourWrites: false, readsMonotonically: false) == nil)
        #expect(session.demand(nil, readsYourWrites: true, readsMonotonically: false) == at(3))
        #expect(session.demand(nil, readsYourWrites: true, readsMonotonically: true) == at(7))
        #expect(session.demand(at(9), readsYourWrites: true, readsMonotonically: true) == at(9))
    }
}
