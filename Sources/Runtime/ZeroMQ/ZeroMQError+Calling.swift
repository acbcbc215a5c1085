import CZeroMQ
import LibC

extension ZeroMQError {
    /// Makes a call that answers 0 for success, again while a signal interrupts it.
    ///
    /// For everything but the hot path, which has its own loops.
    static func calling(
        during operation: Operation, _ call: () -> CInt
    ) throws(ZeroMQError) {
        while call() != 0 {
            // Read before anything else can run.
            let code = zmq_errno()
            if code != EINTR { throw ZeroMQError(errno: code, during: operation) }
        }
    }
}
