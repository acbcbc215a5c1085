/// How a member of etcd is, as a publisher knows it. The numbers are in STATUS, as
/// `etcd_member_condition:ENDPOINT`.
public enum EtcdCondition: UInt8, Hashable, Sendable, CaseIterable {
    case healthy = 0
    /// It does not answer, or what answers is no etcd.
    case silent = 1
    /// It answers, and knows no leader: it can neither write nor read the newest value.
    case leaderless = 2
    /// Its alarm `NOSPACE`: etcd refuses all writes.
    case full = 3
    /// Its alarm `CORRUPT`: its data differ from those of the others.
    case corrupt = 4
    /// It reports another error; the number of a later release is taken for this, too.
    case troubled = 5
}
