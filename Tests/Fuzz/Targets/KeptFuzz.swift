import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

@testable import PublisherCore

/// What a publisher keeps beside its log: the last lives of nodes, and the orders that take their
/// time. With the checksums made right.
///
///     manner 1 (bit 0: orders, else lives; 1: sealed), file
enum KeptFuzz: FuzzTarget {
    static let name = "kept"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        var file = script.restCopied()
        let isOfOrders = manner & 1 == 1
        if manner & 2 == 2, file.count >= 12 {
            file.put(isOfOrders ? "MARTPAC1" : "MARTNOD2", at: 0)
            file.seal(12..<file.count, at: 8)
        }
        if isOfOrders { readOrders(file) } else { readLives(file) }
    }

    private static func readLives(_ file: [UInt8]) {
        guard let (book, log, epoch) = file.withUnsafeBytes({ RunTable.read($0) }) else { return }
        let again = book.stored(for: log, in: epoch)
        let other = again.withUnsafeBytes { RunTable.read($0) }
        check(other?.table == book, "lives are written otherwise than they were read")
        check(other?.log == log && other?.epoch == epoch, "a book says whose it is")
        var later = book
        for (node, lives) in book.nodes {
            check(!lives.runs.isEmpty, "a node of the book has lived")
            let run = NodeRun(node: node, incarnation: Incarnation(9))
            later.note(run) { _ in true }
            _ = later.previous(of: run)
        }
    }

    private static func readOrders(_ file: [UInt8]) {
        let now = Instant(nanoseconds: 1_000_000_000)
        guard var book = file.withUnsafeBytes({ PacingTable(stored: $0, now: now) }) else { return }
        let again = book.stored
        let other = again.withUnsafeBytes { PacingTable(stored: $0, now: now) }
        check(other?.stored == again, "orders are written otherwise than they were read")
        goOn(with: &book, now)
    }

    /// What a publisher does with them next.
    private static func goOn(with book: inout PacingTable, _ now: Instant) {
        for pacing in book.all { _ = pacing.line(isDurable: true, now: now) }
        _ = (book.newest, book.nextDue)
        let later = now.advanced(by: .seconds(3_600))
        for (id, _) in book.takeDue(now: later) { book.appended(id, at: .none, now: later) }
        var request = PaceRequest(.begin)
        request.spanMilliseconds = 60_000
        request.scopes = [Scope(.everything)]
        request.operation = OperationID(high: 1, low: 2)
        if case .begun(let id) = book.begin(request, now: later) {
            check(book.pacing(id)?.id == id, "a new order is found by its number")
            _ = book.cancel(id)
        }
        _ = book.stored
    }
}
