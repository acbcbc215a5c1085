import CacheClientCore
import CacheModel
import Testing

@Suite struct SessionPositionTests {
    private func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    private let n1 = NodeID("n1")
    private let n2 = NodeID("n2")
    /// Where no log will ever be.
    private var nowhere: LogPosition { at(1 << 48 - 1, epoch: .max) }

    @Test func aSessionNeverGoesBack() {
        var session = SessionPosition()
        session.saw(at(5), by: n1)
        session.wrote(at(3), by: n1)
        session.saw(at(4), by: n2)
        session.wrote(at(2), by: n2)
        #expect(session.seen == at(5))
        #expect(session.written == at(3))
        session.saw(at(1, epoch: 2), by: n1)
        #expect(session.seen == at(1, epoch: 2))
    }

    @Test func aReadDemandsTheLatestOfWhatIsAskedAndPromised() {
        var session = SessionPosition()
        let none = session.demand(nil, readsYourWrites: true, readsMonotonically: true)
        #expect(none == nil)
        session.wrote(at(3), by: n1)
        session.saw(at(7), by: n1)
        #expect(session.demand(nil, readsYourWrites: false, readsMonotonically: false) == nil)
        #expect(session.demand(nil, readsYourWrites: true, readsMonotonically: false) == at(3))
        #expect(session.demand(nil, readsYourWrites: true, readsMonotonically: true) == at(7))
        #expect(session.demand(at(9), readsYourWrites: true, readsMonotonically: true) == at(9))
    }

    @Test func whatThePublisherDoesNotKnowOfIsForgotten() {
        var session = SessionPosition()
        session.saw(at(5), by: n2)
        session.wrote(nowhere, by: n1)
        #expect(session.isUnconfirmed)
        session.asks()
        let liars = session.wasAnswered(head: at(9))
        #expect(liars == [n1].compactMap(\.self))
        #expect(session.seen == at(9) && session.written == at(9))
        #expect(!session.isUnconfirmed)
    }

    @Test func aPositionIsTrustedOnlyAsFarAsThePublisherConfirms() {
        var session = SessionPosition()
        session.saw(nowhere, by: n1)
        session.asks()
        session.wasAnswered(head: at(9))
        let isAsked = session.saw(nowhere, by: n1)
        #expect(isAsked)
        session.wrote(at(12), by: n1)
        #expect(session.seen == at(9) && session.written == at(9))
        let isAskedOfAnother = session.saw(at(11), by: n2)
        #expect(!isAskedOfAnother && session.seen == at(11))
        session.wasOrdered(at: at(12))
        let isAskedAgain = session.saw(at(12), by: n1)
        #expect(!isAskedAgain && session.seen == at(12))
    }

    @Test func aPositionReportedDuringAQuestionMayExceedItsAnswer() {
        var session = SessionPosition()
        session.saw(at(5), by: n1)
        session.asks()
        session.wrote(at(7), by: n2)
        #expect(session.wasAnswered(head: at(5)).isEmpty)
        #expect(session.seen == at(7) && session.written == at(7))
        session.saw(nowhere, by: n1)
        session.asks()
        session.wrote(at(8), by: n2)
        session.wrote(nowhere, by: n1)
        #expect(!session.wasAnswered(head: at(7)).isEmpty)
        // The greatest word is the liar's again, and may hide another's: the next question tells.
        #expect(session.seen == nowhere && session.written == nowhere)
        session.asks()
        session.wrote(nowhere, by: n1)
        session.wrote(at(9), by: n2)
        session.wasAnswered(head: at(8))
        #expect(session.seen == at(9) && session.written == at(9))
    }

    @Test func aPublisherThatDoesNotAnswerChangesNothing() {
        var session = SessionPosition()
        session.saw(at(5), by: n1)
        session.asks()
        session.wasNotAnswered()
        #expect(session.wasAnswered(head: at(1)).isEmpty)
        #expect(session.seen == at(5))
    }
}
