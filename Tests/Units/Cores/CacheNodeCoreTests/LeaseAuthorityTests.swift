import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

@Suite struct LeaseAuthorityTests {
    private static let log = LogID(7)

    private static func at(_ seconds: Int64) -> Instant {
        Instant(nanoseconds: 100_000_000_000).advanced(by: .seconds(seconds))
    }

    /// Granted at 0 for 3 s.
    private static func held() -> LeaseAuthority {
        var authority = LeaseAuthority(applied: .none)
        grant(&authority)
        update(&authority, at: 0)
        return authority
    }

    private static func grant(
        _ authority: inout LeaseAuthority, milliseconds: UInt32 = 3_000, at seconds: Int64 = 0,
        isConfigured: Bool = true
    ) {
        authority.lease.pinged(at: at(seconds))
        authority.received(
            Pong(
                sentAt: at(seconds).nanoseconds, log: log, head: .none,
                leaseMilliseconds: milliseconds,
                versions: SharedVersions(configRevision: 0, topologyVersion: 0)),
            isConfigured: isConfigured)
    }

    private static func update(
        _ authority: inout LeaseAuthority, isDiverged: Bool = false, pausedFor: Duration = .zero,
        at seconds: Int64
    ) {
        authority.update(isDiverged: isDiverged, pausedFor: pausedFor, now: at(seconds))
    }

    @Test func aHeartbeatOrAWelcomeBeginsTheWaitForALease() {
        var authority = LeaseAuthority(applied: .none)
        Self.update(&authority, at: 0)
        #expect(authority.state == .unheard)
        authority.receivedHeartbeat()
        #expect(authority.state == .awaited(vouchedUntil: nil))
        authority = LeaseAuthority(applied: .none)
        authority.welcomed()
        Self.update(&authority, at: 0)
        #expect(authority.state == .awaited(vouchedUntil: nil))
    }

    @Test func aGrantedLeaseIsHeldUntilItEnds() {
        var authority = Self.held()
        #expect(authority.state == .held(until: Self.at(3)))
        authority.receivedHeartbeat()
        authority.welcomed()
        #expect(authority.state == .held(until: Self.at(3)), "a WELCOME does not end a lease")
        Self.update(&authority, at: 2)
        #expect(authority.expiresAt == Self.at(3))
        Self.update(&authority, at: 5)
        #expect(authority.state == .lost(vouchedUntil: Self.at(3)))
        authority.receivedHeartbeat()
        #expect(authority.state == .lost(vouchedUntil: Self.at(3)))
        authority.welcomed()
        #expect(authority.state == .awaited(vouchedUntil: Self.at(3)))
    }

    @Test func aLeaseGivenUpEndsNow() {
        var revoked = Self.held()
        revoked.lease.revoke()
        Self.update(&revoked, at: 1)
        #expect(revoked.state == .lost(vouchedUntil: Self.at(1)))
        var forgotten = Self.held()
        forgotten.forget()
        #expect(forgotten.expiresAt == nil)
        Self.update(&forgotten, at: 1)
        #expect(forgotten.state == .awaited(vouchedUntil: Self.at(1)))
    }

    @Test func aContradictionOutweighsAHeldLease() {
        var authority = Self.held()
        Self.update(&authority, isDiverged: true, at: 1)
        #expect(authority.state == .lost(vouchedUntil: Self.at(1)))
        authority = LeaseAuthority(applied: .none)
        Self.update(&authority, isDiverged: true, at: 1)
        #expect(authority.state == .lost(vouchedUntil: nil))
    }

    @Test func aPauseMovesTheVouchedTimeBack() {
        var authority = Self.held()
        authority.lease.revoke()
        Self.update(&authority, pausedFor: .seconds(30), at: 1)
        #expect(authority.vouchedUntil == Instant(nanoseconds: 71_000_000_000))
        Self.update(&authority, pausedFor: .seconds(71), at: 2)
        #expect(authority.vouchedUntil == nil, "before its clock began")
    }

    @Test func onlyAConfiguredNodeTakesALease() {
        var authority = LeaseAuthority(applied: .none)
        Self.grant(&authority, isConfigured: false)
        Self.update(&authority, at: 0)
        #expect(authority.state == .unheard && authority.grantingLog == .none)
        Self.grant(&authority, milliseconds: 0)
        #expect(authority.isWithheld && authority.grantingLog == .none)
        Self.grant(&authority)
        #expect(!authority.isWithheld && authority.grantingLog == Self.log)
    }
}
