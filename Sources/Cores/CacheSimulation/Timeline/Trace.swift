import CacheModel

/// The last events, kept as numbers and formatted only on demand; and a fingerprint of all events,
/// to compare two runs of a seed.
struct Trace {
    enum Place {
        case world
        case publisher
        case node(Int)
        case shard(ShardPlace)
        case client
    }

    private struct Entry {
        var time: WorldTime
        var place: Place
        var what: StaticString
        var number: Int
        var position: LogPosition
    }

    private static let keptMax = 60

    private var entries: [Entry] = []
    private var oldest = 0
    private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
    private let tell: ((String) -> Void)?

    /// - Parameter tell: receives every event as it happens.
    init(telling tell: ((String) -> Void)?) {
        self.tell = tell
    }

    mutating func note(
        _ time: WorldTime, _ place: Place, _ what: StaticString, _ number: Int = 0,
        at position: LogPosition = .none
    ) {
        let entry = Entry(
            time: time, place: place, what: what, number: number, position: position)
        fold(time.nanoseconds)
        fold(UInt64(truncatingIfNeeded: number))
        fold(position.sequence.rawValue)
        fold(UInt64(what.utf8CodeUnitCount))
        if let tell { tell(Self.line(entry)) }
        if entries.count < Self.keptMax {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.keptMax
        }
    }

    private mutating func fold(_ number: UInt64) {
        fingerprint = (fingerprint ^ number) &* 0x0000_0100_0000_01B3
        fingerprint ^= fingerprint >> 29
    }

    /// The last events, a line each.
    var text: String {
        (entries[oldest...] + entries[..<oldest]).map(Self.line).joined(separator: "\n")
    }

    private static func line(_ entry: Entry) -> String {
        let micro = entry.time.nanoseconds / 1_000
        let fraction = String(1_000_000 + micro % 1_000_000).dropFirst()
        let place =
            switch entry.place {
            case .world: "world"
            case .publisher: "publisher"
            case .node(let run): "run \(run)"
            case .shard(let place): "run \(place.run) shard \(place.shard)"
            case .client: "client"
            }
        let position = entry.position == .none ? "" : " at \(entry.position)"
        return "\(micro / 1_000_000).\(fraction) \(place): \(entry.what) \(entry.number)\(position)"
    }
}
