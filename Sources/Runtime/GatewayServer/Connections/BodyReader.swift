import CacheHTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Reads the body of a request: with a limit of bytes and time, and completely or not at all.
struct BodyReader {
    var room: ReadRoom
    var patience: Duration

    /// - Returns: the bytes. The caller returns the bytes that the room counts to the budget.
    /// - Throws: ``ProblemKind/bodyTooLarge``, ``ProblemKind/slowRequest``, ``ProblemKind/busy``
    ///   or, for a body that ends before its length, ``ProblemKind/malformedBody``.
    func read(
        _ request: Request, upTo bytesMax: Int, on channel: any Channel
    ) async throws -> [UInt8] {
        let announced = request.headers.statedLength
        let isLate = LateMark()
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(patience)) {
            isLate.mark.store(true, ordering: .releasing)
            // Closes the reading side, so that the answer can still be written; if that is not
            // possible, the connection.
            channel.close(mode: .input).whenFailure { _ in channel.close(promise: nil) }
        }
        defer { alarm.cancel() }
        var bytes: [UInt8] = []
        var taken = 0
        do {
            bytes.reserveCapacity(min(max(announced ?? 0, 0), GatewayLimits.pieceBytes))
            for try await piece in request.body {
                guard bytes.count + piece.readableBytes <= bytesMax else {
                    throw Self.tooLarge(bytesMax)
                }
                bytes += piece.readableBytesView
                let counted = room.counted(bytes.count)
                try room.budget.take(counted - taken, of: counted)
                taken = counted
            }
            guard !isLate.mark.load(ordering: .acquiring) else { throw CancellationError() }
            guard announced.map({ $0 == bytes.count }) ?? true else {
                throw Problem(
                    .malformedBody, "the body ends before its Content-Length; nothing was done")
            }
            return bytes
        } catch {
            room.budget.giveBack(taken)
            guard isLate.mark.load(ordering: .acquiring) else { throw error }
            throw Problem(
                .slowRequest,
                "a request arrives within \(patience.components.seconds) s; send it "
                    + "faster, or in smaller parts")
        }
    }

    /// Refuses a body with too large an announced length, before it is sent.
    static func checkLength(_ request: Request, upTo bytesMax: Int) throws(Problem) {
        if let announced = request.headers.statedLength, announced > bytesMax {
            throw tooLarge(bytesMax)
        }
    }

    private static func tooLarge(_ bytesMax: Int) -> Problem {
        Problem(
            .bodyTooLarge,
            "a body has at most \(bytesMax) bytes here; values may be longer where the gateway is "
                + "started with a greater --max-body")
    }
}

/// Whether a request's time was over before it was complete: set by its event loop, read by its
/// task.
final class LateMark: Sendable {
    let mark = Atomic<Bool>(false)
}
