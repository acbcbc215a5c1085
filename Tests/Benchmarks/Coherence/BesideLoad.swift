import CacheModel
import CacheWire
import TestSupport
import Threading
import ZeroMQ

/// A second connection, which asks for keys one after the other, so many at a time, while something
/// else is measured.
struct BesideLoad: Sendable {
    var endpoint: String
    /// Begins at the first again once all have been asked for.
    var keys: ArraySlice<Int>
    var inFlight: Int
    /// At most so many; `nil` for as many as are answered.
    var perSecond: Double?

    typealias Outcome = Result<Int, GaveUp>

    /// - Returns: a thread that ends with the number of its answers.
    func start(until end: UInt64, _ context: Context) throws -> OwnedThread<Outcome> {
        try OwnedThread(name: "beside") {
            do {
                return .success(try run(until: end, context))
            } catch {
                return .failure(GaveUp("the load beside it ended: \(error)"))
            }
        }
    }

    private func run(until end: UInt64, _ context: Context) throws -> Int {
        let peer = try Peer(context, to: endpoint)
        let began = Time.now
        var (asked, answered, missed) = (0, 0, 0)
        while Time.now < end {
            let due = perSecond.map { Int(Time.since(began) / 1e9 * $0) } ?? .max
            while asked - answered < inFlight, asked < due {
                try peer.send(Asking.get(Asking.key(keys[keys.startIndex + asked % keys.count])))
                asked += 1
            }
            if asked == answered {
                Time.pause(nanoseconds: 200_000)
                continue
            }
            missed += try peer.receive(Self.missed)
            answered += 1
            while let one = try peer.take(Self.missed) {
                missed += one
                answered += 1
            }
        }
        while answered < asked {
            missed += try peer.receive(Self.missed)
            answered += 1
        }
        // What was stored while the tail was full is not on the disk.
        guard missed * 20 < answered else { throw GaveUp("\(missed) of \(answered) missed") }
        return answered - missed
    }

    /// - Returns: 1 for a miss, 0 for a hit.
    private static func missed(_ message: MessageView) throws -> Int {
        switch try Asking.result(message).0 {
        case .hit: return 0
        case .miss: return 1
        case let status: throw GaveUp("a get was answered with \(status as Any)")
        }
    }
}
