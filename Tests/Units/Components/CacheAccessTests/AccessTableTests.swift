import Testing

@testable import CacheAccess

@Suite struct AccessTableTests {
    @Test func aNumberFindsItsEntryAndAnyOtherNone() throws {
        let table = try Sample.table(nil, "read", nil, "write")
        #expect(table.entry(of: .unknown) == nil)
        #expect(table.entry(of: PrincipalNumber(rawValue: 1))?.rights == .read)
        #expect(table.entry(of: PrincipalNumber(rawValue: 2)) == nil)
        #expect(table.entry(of: PrincipalNumber(rawValue: 3))?.rights == .write)
        for number in [4, 5, UInt32.max - 1, .max] {
            #expect(table.entry(of: PrincipalNumber(rawValue: number)) == nil)
        }
        #expect(AccessTable.empty.entry(of: PrincipalNumber(rawValue: 0)) == nil)
    }

    /// `nil` is a place without an entry; beyond its end a table has none either.
    private static let kinds: [String?] = [
        nil, "read", "read a", "node", "relay a", "write", "admin a", "admin",
    ]
    private static let following: Set<String?> = ["read", "node", "relay a", "admin"]

    @Test func aFollowerIsLostOnceItsEntryForbidsFollowingTheLog() throws {
        for before in Self.kinds {
            let isFollowing = Self.following.contains(before)
            let table = try Sample.table(nil, before)
            #expect(try table.followers(lostIn: Sample.table(nil)) == isFollowing)
            #expect(table.followers(lostIn: .empty) == isFollowing)
            #expect(try !Sample.table(nil).followers(lostIn: table))
            for after in Self.kinds {
                let isLost = isFollowing && !Self.following.contains(after)
                #expect(try table.followers(lostIn: Sample.table(nil, after)) == isLost)
                // Neither who came since nor a neighbour changes that.
                let wider = try Sample.table(nil, after, "node", "write")
                #expect(table.followers(lostIn: wider) == isLost)
                let beside = try Sample.table(nil, before, "node")
                #expect(try beside.followers(lostIn: Sample.table(nil, after, "node")) == isLost)
                #expect(try beside.followers(lostIn: Sample.table(nil, after, "read a")))
            }
        }
    }
}
