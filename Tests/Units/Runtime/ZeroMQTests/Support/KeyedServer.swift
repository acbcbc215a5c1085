import ByteCoding
import Foundation
import ZeroMQ

/// A context with keys, and the thread that libzmq asks there: it lets in whom a table names.
///
/// Sendable without the compiler's proof: what it was asked is touched only under `lock`, by the
/// handler's thread and the test's.
final class KeyedServer: @unchecked Sendable {
    let context: Context
    let keys: CurveKeyPair
    private let lock = NSLock()
    private var requests: [ZAPRequest] = []
    private var numbers: [PublicKey: UInt32]
    private var thread: OwnerThread<Bool>?

    /// - Parameter numbers: of those who are let in.
    init(_ numbers: [PublicKey: UInt32]) throws {
        self.numbers = numbers
        keys = try CurveKeyPair.generate()
        context = try Context(keys: keys)
        let isBound = DispatchSemaphore(value: 0)
        thread = OwnerThread { [self, context] in
            do {
                var handler = try ZAPHandler(context)
                isBound.signal()
                var poller = Poller()
                _ = poller.add(handler.socket, for: .readable)
                while true {
                    _ = try poller.wait(timeout: nil)
                    try handler.answerWaiting { request in
                        lock.withLock {
                            requests.append(request)
                            return request.key.flatMap { self.numbers[$0] }
                        }.map { .admitted($0) } ?? .refused
                    }
                }
            } catch {
                return (error as? ZeroMQError)?.isTerminated == true
            }
        }
        isBound.wait()
    }

    /// What the handler was asked so far.
    var asked: [ZAPRequest] { lock.withLock { requests } }

    /// Lets one more in from now on.
    func admit(_ key: PublicKey, as number: UInt32) { lock.withLock { numbers[key] = number } }

    /// Ends the handler, whose thread would stay for ever.
    ///
    /// - Returns: whether it ended for that, and not before.
    func end() -> Bool {
        context.shutdown()
        return thread?.join() == true
    }
}
