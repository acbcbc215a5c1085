import CacheModel

/// The loads of one shard that are under way, and who waits for which.
///
///     reader ─▶ newest load of its key, if it may share it ── else ─▶ a new one
///                                                    two are under way ─▶ waits for the next
///
/// It knows no rule of who may share: its owner says whether the newest will do. What it keeps is
/// that of one key two loads at most are under way, that every reader waits for one, and that
/// nothing here is without a bound.
///
/// Of one that hangs nobody has to know: its readers leave by their own deadlines, and it ends by
/// the desk's.
package struct LoadTable {
    /// Loads of one key under way at most: one that was overtaken, and one for who asked since.
    package static let loadsPerKeyMax = 2

    /// What became of a reader that asks for a load.
    package enum Place: Equatable, Sendable {
        case joined
        /// A new load has to begin, and the reader waits for it.
        case begins
        /// A new load begins when one of the key's has ended.
        case queued
        /// There are as many loads as may be.
        case full
    }

    private let loadsMax: Int
    /// How many loads were begun for each asker that has any.
    private var shares: [UInt32: Int] = [:]
    private var loads: [UInt64: KeyLoad] = [:]
    /// Of each key, oldest first.
    private var numbers: [LoadKey: [UInt64]] = [:]
    /// Who waits for a load that cannot begin yet.
    private var queued: [LoadKey: [LoadReader]] = [:]
    private var nextNumber: UInt64 = 1

    package init(loadsMax: Int) {
        self.loadsMax = loadsMax
    }

    package var count: Int { loads.count }

    /// The load of a key that began last.
    package func newest(of key: LoadKey) -> KeyLoad? {
        numbers[key]?.last.flatMap { loads[$0] }
    }

    /// Whether one more load may begin for an asker: half of them are always there for others.
    private func hasRoom(for asker: UInt32?) -> Bool {
        guard loads.count < loadsMax, let asker else { return loads.count < loadsMax }
        return shares[asker, default: 0] < loadsMax / 2
    }

    /// Has a reader wait for the newest load of its key, if that will do, or for another.
    ///
    /// - Parameters:
    ///   - asker: whose share a load takes that begins; `nil`: nobody's.
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

    /// Whether a load may begin behind an answer: none of the key is under way.
    package func mayRefresh(_ key: LoadKey, of asker: UInt32? = nil) -> Bool {
        numbers[key] == nil && hasRoom(for: asker)
    }

    /// A number for a question to an origin that loads nothing.
    package mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Enters a load that begins now.
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

    /// A peer waits for the newest load of a key: from now on that may not wait for a peer.
    ///
    /// - Returns: its number, if it may have been asking one.
    package mutating func keepFromPeers(_ key: LoadKey) -> UInt64? {
        guard let number = numbers[key]?.last, loads[number]?.mayAskPeer == true else { return nil }
        loads[number]?.mayAskPeer = false
        return number
    }

    /// Takes a load out that has ended.
    ///
    /// - Returns: `nil` if it is not known any more.
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

    /// Takes those out who wait for the next load of a key, for it can begin now.
    package mutating func takeQueued(_ key: LoadKey) -> [LoadReader] {
        guard (numbers[key]?.count ?? 0) < Self.loadsPerKeyMax else { return [] }
        return queued.removeValue(forKey: key) ?? []
    }
}
