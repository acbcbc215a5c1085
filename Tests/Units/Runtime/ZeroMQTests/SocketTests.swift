import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct SocketTests {
    @Test func aSocketThatWanderedIsClosedExactlyOnce() throws {
        func pass(_ socket: consuming Socket) -> Socket { socket }
        let context = try Context()
        for kind in Socket.Kind.allCases {
            var kept: Socket? = pass(try Socket(context, kind))
            kept = try Socket(context, kind)
            guard let last = kept.take() else { continue }
            let lastKind = last.kind
            #expect(lastKind == kind)
        }
        let ending = OwnerThread { context.terminate() }
        // One that stayed open would keep this from ending; a second close would trap.
        #expect(ending.join() != nil)
    }
}
