import CacheModel
import SharedLogCore
import Testing

@Suite struct EtcdConditionTests {
    /// What a member answers to `/v3/maintenance/status`.
    private func condition(_ more: String, leader: String = "7", status: Int = 200) -> EtcdCondition
    {
        let body = """
            {"header":{"member_id":"7"},"version":"3.4.23","dbSize":"20480","leader":"\(leader)"\
            \(more)}
            """
        return EtcdCoding.member(at: "http://e1:2379", status, Array(body.utf8)).condition
    }

    @Test func aMembersConditionIsTheWorstThatItReports() {
        #expect(condition("") == .healthy)
        #expect(condition("", status: 503) == .silent)
        #expect(condition("", leader: "0") == .leaderless)
        #expect(condition(#","errors":["etcdserver: no leader"]"#) == .leaderless)
        #expect(condition(#","errors":["memberID:7 alarm:NOSPACE "]"#) == .full)
        #expect(
            condition(#","errors":["memberID:7 alarm:NOSPACE ","memberID:7 alarm:CORRUPT "]"#)
                == .corrupt)
        #expect(condition(#","errors":["something else"]"#) == .troubled)
    }
}
