import CacheModel

/// The loads of one shard that are under way, and the readers that wait for each.
///
///     reader ─▶ newest load of its key, if it may share it ── else ─▶ a new one
///                                                    two are under way ─▶ waits for the next
///
/// It has no rule for sharing: its owner decides whether the newest load suffices. It ensures that
/// at most two loads of one key are under way, that every reader waits for one, and that everything
/// is bounded.
///
/// A load that hangs needs no detection: its readers leave by their own deadlines, and the load
/// ends by the scheduler's.
package struct LoadTable {
    /// Maximum loads of one key under way: one that was overtaken, and one for later readers.
    package static let loadsPerKeyMax = 2

    package enum Place: Equatable, Sendable {
        case joined
        /// The caller must begin a new load, for which the reader waits.
        case begins
        /// A new load begins when one of the key's loads has ended.
        case queued
        /// The maximum number of loads is reached.
        case full
    }

    private let loadsMax: Int
    private var shares: [UInt32: Int] = [:]
    private var loads: [UInt64: KeyLoad] = [:]
    private var numbers: [LoadKey: [UInt64]] = [:]
    /// Readers that wait for a load that cannot begin yet.
    private var queued: [LoadKey: [LoadReader]] = [:]
    private var nextNumber: UInt64 = 1

    package init(loadsMax: Int) {
        self.loadsMax = loadsMax
    }

    package var count: Int { loads.count }

    package func newest(of key: LoadKey) -> KeyLoad? {
        numbers[key]?.last.flatMap { loads[$0] }
    }

    /// Whether one more load may begin for an asker: half of all loads are always reserved for
    /// others.
    private func hasRoom(for asker: UInt32?) -> Bool {
        guard loads.count < loadsMax, let asker else { return loads.count < loadsMax }
        return shares[asker, default: 0] < loadsMax / 2
    }

    /// Adds a reader to the newest load of its key, if that suffices, or lets it wait for another.
    ///
    /// - Parameters:
    ///   - asker: the asker that a new load counts for; `nil`: none.
    ///   - newestWillDo: whether the newest may be shared, if there is one.
    package mutating func place(
        _ reader: LoadReader, for key: LoadKey, of asker: UInt32? = nil, newestWillDo: Bool
    ) -> Place {
        let own = numbers[key] ?? []
        if newestWillDo, let number = own.last {
            loads[number]?.join(reader)
            return .joined
        }
        if own.count >= Self.loadsPerKeyMax {
            queued[key, default: []].append(reader)
            return .queued
        }
        return hasRoom(for: asker) ? .begins : .full
    }

    /// Whether a background load may begin: none of the key is under way.
    package func mayRefresh(_ key: LoadKey, of asker: UInt32? = nil) -> Bool {
        numbers[key] == nil && hasRoom(for: asker)
    }

    /// A number for a request to an origin that loads nothing.
    package mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Adds a load that begins now.
    ///
    /// - Returns: its number.
    package mutating func begin(_ load: KeyLoad) -> UInt64 {
        let number = takeNumber()
        var load = load
        load.number = number
        loads[number] = load
        if let asker = load.asker { shares[asker, default: 0] += 1 }
        numbers[load.key, default: []].append(number)
        return number
    }

    /// A peer waits for the newest load of a key: from now on that load may not wait for a peer.
    ///
    /// - Returns: its number, if it may have been asking one.
    package mutating func keepFromPeers(_ key: LoadKey) -> UInt64? {
        guard let number = numbers[key]?.last, loads[number]?.mayAskPeer == true else { return nil }
        loads[number]?.mayAskPeer = false
        return number
    }

    /// Removes a load that has ended.
    ///
    /// - Returns: `nil` if it is unknown.
    package mutating func end(_ number: UInt64) -> KeyLoad? {
        guard let load = loads.removeValue(forKey: number) else { return nil }
        if let asker = load.asker {
            let left = shares[asker, default: 1] - 1
            shares[asker] = left > 0 ? left : nil
        }
        var own = numbers.removeValue(forKey: load.key) ?? []
        own.removeAll { $0 == number }
        if !own.isEmpty { numbers[load.key] = own }
        return load
    }

    /// Removes and returns the readers that wait for the next load of a key, which can begin now.
    package mutating func takeQueued(_ key: LoadKey) -> [LoadReader] {
        guard (numbers[key]?.count ?? 0) < Self.loadsPerKeyMax else { return [] }
        return queued.removeValue(forKey: key) ?? []
    }
}
