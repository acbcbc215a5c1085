import CacheModel
import Testing

@testable import CacheMemory

@Suite struct LoadLeasesTests {
    static func sample(max: Int = 100) -> LoadLeases {
        var limits = MemoryTierLimits.sample()
        limits.loadLeasesMax = max
        return LoadLeases(limits: limits, seed: 9)
    }

    private func grant(_ leases: inout LoadLeases, _ key: UInt64, now: Instant) -> UInt64? {
        switch leases.grant(KeyHash(key), now: now, duration: .nanoseconds(100 << 22)) {
        case .granted(let nonce): nonce
        case .wait: nil
        }
    }

    @Test func oneHoldsTheLeaseAndOthersWait() throws {
        var leases = Self.sample()
        let nonce = try #require(grant(&leases, 1, now: at(0)))
        #expect(nonce != 0)
        #expect(
            leases.grant(KeyHash(1), now: at(40), duration: .seconds(1))
                == .wait(.nanoseconds(60 << 22)))
        #expect(leases.holds(KeyHash(1), nonce: nonce))
        #expect(!leases.holds(KeyHash(1), nonce: nonce &+ 1))
        #expect(!leases.holds(KeyHash(2), nonce: nonce))
        // Run out, but nobody else has taken it.
        #expect(leases.holds(KeyHash(1), nonce: nonce))
    }

    @Test func aHolderIsGrantedItsLeaseAgainAndOthersWait() throws {
        var leases = Self.sample()
        let (holder, other) = (LoadLeases.Holder(1), LoadLeases.Holder(2))
        let long = Duration.nanoseconds(100 << 22)
        func ask(_ asker: LoadLeases.Holder?, _ isAgain: Bool, at time: Int) -> LoadLeases.Answer {
            leases.grant(
                KeyHash(1), to: asker, isAgain: isAgain, now: at(UInt64(time)), duration: long)
        }
        guard case .granted(let nonce) = ask(holder, false, at: 0) else {
            Issue.record("nobody holds it")
            return
        }
        #expect(ask(holder, false, at: 10) == .wait(.nanoseconds(90 << 22)), "another load of it")
        #expect(ask(other, true, at: 10) == .wait(.nanoseconds(90 << 22)))
        #expect(ask(nil, true, at: 10) == .wait(.nanoseconds(90 << 22)))
        #expect(ask(holder, true, at: 60) == .granted(nonce: nonce))
        #expect(ask(other, false, at: 120) == .wait(.nanoseconds(40 << 22)), "it runs from then")
        #expect(
            leases.age(KeyHash(1), nonce: nonce, now: at(130)) == .nanoseconds(130 << 22),
            "the value may have been read since the first time")
        guard case .granted(let next) = ask(other, true, at: 160) else {
            Issue.record("it has run out")
            return
        }
        #expect(next != nonce)
    }

    @Test func anExpiredLeaseGoesToTheNext() throws {
        var leases = Self.sample()
        let first = try #require(grant(&leases, 1, now: at(0)))
        let second = try #require(grant(&leases, 1, now: at(100)))
        #expect(first != second)
        #expect(!leases.holds(KeyHash(1), nonce: first))
        #expect(leases.holds(KeyHash(1), nonce: second))
    }

    @Test func aVoidLeaseHasNoHolder() throws {
        var leases = Self.sample()
        let nonce = try #require(grant(&leases, 1, now: at(0)))
        leases.void(KeyHash(1))
        #expect(!leases.holds(KeyHash(1), nonce: nonce))
        #expect(grant(&leases, 1, now: at(1)) != nil)
    }

    @Test func pastTheBoundTheOldestGo() throws {
        var leases = Self.sample(max: 3)
        var nonces: [UInt64] = []
        for key in UInt64(0)..<5 {
            nonces.append(try #require(grant(&leases, key, now: at(0))))
        }
        #expect(leases.count == 3)
        let held = (0..<5).filter {
            leases.holds(KeyHash(UInt64($0)), nonce: nonces[$0])
        }
        #expect(held == [2, 3, 4])
        #expect(Set(nonces).count == 5)
    }

    @Test func manyGrantsLeaveNothingBehind() throws {
        var leases = Self.sample(max: 50)
        for number in UInt64(0)..<20_000 {
            let nonce = try #require(grant(&leases, number % 30, now: at(number * 1_000)))
            #expect(leases.holds(KeyHash(number % 30), nonce: nonce))
            if number % 3 == 0 { leases.void(KeyHash(number % 30)) }
        }
        #expect(leases.count <= 30)
    }
}
