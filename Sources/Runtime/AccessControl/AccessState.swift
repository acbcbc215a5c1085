import ByteCoding
package import CacheAccess
import CacheModel
package import ZeroMQ

/// The gatekeeper's state: the list, the numbers of its keys, and the count of logged refusals.
struct AccessState {
    private(set) var list: AccessList
    private var numbers: [PublicKey: PrincipalNumber] = [:]
    /// The ends of bans from the live channel, in seconds since 1970.
    private var bans: [PrincipalNumber: Int] = [:]
    private var complaints = 0
    private var complaintsUntil = Instant(nanoseconds: 0)

    init(_ list: AccessList) {
        self.list = list
        enrol()
    }

    mutating func replace(_ list: AccessList) {
        self.list = list
        enrol()
    }

    private mutating func enrol() {
        for entry in list.entries where numbers[entry.key] == nil {
            numbers[entry.key] = PrincipalNumber(rawValue: UInt32(numbers.count + 1))
        }
    }

    /// The entries in force at a moment, in seconds since 1970.
    func table(at now: Int) -> AccessTable {
        var entries = [AccessEntry?](repeating: nil, count: numbers.count + 1)
        for entry in list.entries where entry.isInForce(at: now) {
            guard let number = numbers[entry.key] else { continue }
            entries[Int(number.rawValue)] = entry
        }
        return AccessTable(entries)
    }

    /// Whether a client is admitted, and if not, why.
    func decide(_ request: ZAPRequest, at now: Int) -> (ZAPVerdict, refusal: String?) {
        guard let key = request.key else { return (.refused, "it shows no key") }
        guard let entry = list.entry(of: key), let number = numbers[key] else {
            return (.refused, "its key is not in the list")
        }
        guard entry.isInForce(at: now) else {
            return (.refused, "the entry of “\(entry.name)” is past its date")
        }
        guard let domain = AccessDomain(rawValue: request.domain), domain.admits(entry) else {
            return (
                .refused,
                "“\(entry.name)” may not listen to all invalidations: that takes read on *, node "
                    + "or relay"
            )
        }
        if domain == .live, let end = bans[number], now < end {
            return (.refused, "“\(entry.name)” asked for topics without end, and is kept out")
        }
        return (.admitted(number.rawValue), nil)
    }

    /// Bans a key from the live channel from now on, for ``AccessLimits/banTime``.
    mutating func ban(_ number: PrincipalNumber, at now: Int) {
        bans = bans.filter { now < $0.value }
        bans[number] = now + AccessLimits.banTime
    }

    /// Whether one more refused client is logged, so that many of them do not fill the log.
    mutating func mayComplain(now: Instant) -> Bool {
        if now >= complaintsUntil {
            complaintsUntil = now.advanced(by: AccessLimits.complaintInterval)
            complaints = 0
        }
        complaints += 1
        return complaints <= AccessLimits.complaintsMax
    }
}

/// The purposes of sockets, as the gatekeeper tells them apart.
package enum AccessDomain: String, Sendable {
    /// A shard: gets, sets and operators' requests.
    case data
    /// The publisher: invalidations, and the messages of nodes.
    case control
    /// The publisher's broadcast, which takes no requests.
    case live

    package var zap: ZAPDomain { ZAPDomain(rawValue: rawValue) }

    /// The kind of socket that clients connect with.
    var askerKind: Socket.Kind {
        switch self {
        case .data, .control: .dealer
        case .live: .sub
        }
    }

    /// Whether the holder of a credential may connect. On a socket that takes requests each request
    /// is checked; the right to listen to everything is checked once, here.
    package func admits(_ entry: AccessEntry) -> Bool {
        switch self {
        case .data, .control: true
        case .live: entry.mayFollowLog
        }
    }
}
