import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct ContextTests {
    @Test func shutdownWakesAPollingThreadAndTerminationWaitsForItsSocket() throws {
        let context = try Context()
        let owner = OwnerThread { () -> [ZeroMQError?] in
            [
                failure { () throws(ZeroMQError) in
                    let socket = try Socket(context, .pull)
                    let endpoint: Endpoint
                    do { endpoint = try Endpoint("tcp://127.0.0.1:0") } catch { return }
                    try socket.bind(endpoint)
                    var poller = Poller()
                    _ = poller.add(socket, for: .readable)
                    while true { _ = try poller.wait(timeout: nil) }
                }
            ]
        }
        context.shutdown()
        context.shutdown()
        let ending = OwnerThread { context.terminate() }
        #expect(owner.join()?.first??.isTerminated == true)
        #expect(ending.join() != nil)
        context.terminate()
    }

    @Test func everyCallOnASocketOfAnEndingContextIsTerminated() throws {
        let context = try Context()
        let socket = try Socket(context, .router)
        context.shutdown()
        var frame = Frame()
        let failures = [
            failure { () throws(ZeroMQError) in _ = try socket.receive(into: &frame) },
            failure { () throws(ZeroMQError) in _ = try socket.sendFrame([1]) },
            failure { () throws(ZeroMQError) in _ = try socket.isReadable },
            failure { () throws(ZeroMQError) in _ = try Socket(context, .dealer) },
        ]
        #expect(failures.allSatisfy { $0?.isTerminated == true }, "\(failures)")
    }

    @Test func terminatingWaitsUntilTheLastSocketIsClosed() throws {
        let context = try Context()
        let ending: OwnerThread<Void>
        do {
            let socket = try Socket(context, .pull)
            ending = OwnerThread { context.terminate() }
            // Once termination has begun, calls fail; it still waits for the socket.
            while failure(of: { () throws(ZeroMQError) in _ = try socket.isReadable }) == nil {}
            #expect(!ending.hasEnded)
        }
        #expect(ending.join() != nil)
    }

    @Test func aReleasedContextTerminatesAfterItsLastSocketWithoutHanging() {
        let thread = OwnerThread { () -> Bool in
            guard let socket = try? Socket(Context(), .dealer) else { return false }
            // Something unsent that an endless linger would wait for.
            guard let nowhere = try? Endpoint("tcp://127.0.0.1:1") else { return false }
            return (try? socket.connect(nowhere)) != nil
        }
        #expect(thread.join() == true)
    }

    @Test func aContextAllowsNoMoreSocketsThanItWasTold() throws {
        let context = try Context(socketCountMax: 2)
        let first = try Socket(context, .pair)
        let second = try Socket(context, .pair)
        let error = failure { () throws(ZeroMQError) in _ = try Socket(context, .pair) }
        #expect(error?.isOutOfDescriptors == true)
        #expect(error?.during == .openingSocket)
        #expect(first.kind == second.kind)
    }

    @Test func anOlderLibraryIsRefusedByOrderOfVersions() {
        let ascending = [
            (4, 2, 9), (4, 3, 0), (4, 3, 3), (4, 3, 4), (4, 3, 10), (4, 10, 0), (5, 0, 0),
        ]
        .map { LibraryVersion($0.0, $0.1, $0.2) }
        for (left, lower) in ascending.enumerated() {
            for (right, upper) in ascending.enumerated() {
                #expect((lower < upper) == (left < right))
            }
        }
        #expect(LibraryVersion.linked >= LibraryVersion.floor)
        #expect(LibraryVersion.floor == LibraryVersion(4, 3, 4))
    }

    @Test func aContextWithoutThreadsIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = try Context(ioThreadCount: 0) }
        await #expect(processExitsWith: .failure) { _ = try Context(socketCountMax: 0) }
    }
}
