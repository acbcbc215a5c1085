import Threading

/// How many connections a role could have.
struct DescriptorCheck: DoctorCheck {
    private static let subject = "descriptors"

    func findings() async -> [DoctorFinding] {
        guard let limits = Descriptors.limits else {
            return [.hint(Self.subject, "this system does not say how many there may be")]
        }
        return [Self.judge(soft: limits.soft, hard: limits.hard)]
    }

    static func judge(soft: Int, hard: Int) -> DoctorFinding {
        // Roles raise the soft limit themselves.
        let connections = max(0, hard - DoctorLimits.descriptorsOfOwn)
        let sentence = "\(soft) by default, \(hard) at most"
        let remedy = "LimitNOFILE=1048576 in a systemd unit, or ulimit -Hn, as root"
        guard connections > 0 else {
            return .wrong(subject, "\(sentence): no role can work with so few", remedy: remedy)
        }
        guard connections >= DoctorLimits.connectionsExpected else {
            return .warning(
                subject, "\(sentence): room for some \(connections) connections", remedy: remedy)
        }
        return .ok(subject, "\(sentence); roles take what they may")
    }
}
