import Testing

@testable import CacheAccess

@Suite struct AccessRightsTests {
    @Test func everyRoleIsItsRightAndAdminIsFiveOfThem() {
        let roles = AccessRights.roles.map(\.word)
        #expect(roles == ["read", "write", "invalidate", "metrics", "admin", "node", "relay"])
        for word in roles where word != "admin" {
            let rights = AccessRights(role: word)
            #expect(rights?.rawValue.nonzeroBitCount == 1)
        }
        #expect(
            AccessRights(role: "admin") == [.admin, .read, .write, .invalidate, .metrics])
        #expect(AccessRights(role: "") == nil && AccessRights(role: "READ") == nil)
        #expect(AccessRights(role: "publisher") == nil && AccessRights(role: "read ") == nil)
    }

    @Test func theTextOfAnyRolesSaysThemAgain() throws {
        let roles = AccessRights.roles.map(\.word)
        for chosen in 1..<(1 << roles.count) {
            let words = roles.indices.filter { chosen & 1 << $0 != 0 }.map { roles[$0] }
            let rights = try Sample.entry(words.joined(separator: ",")).rights
            #expect(try Sample.entry(rights.description).rights == rights, "\(words)")
            let isNamed = words.filter {
                !words.contains("admin") || ["admin", "node", "relay"].contains($0)
            }
            #expect(rights.description == isNamed.joined(separator: ","))
        }
        #expect(AccessRights([]).description == "")
    }

    @Test func aRoleThatIsSaidTwiceIsThatRole() throws {
        #expect(try Sample.entry("read,read,read").rights == .read)
        #expect(try Sample.entry("admin,read").rights == AccessRights(role: "admin"))
    }
}
