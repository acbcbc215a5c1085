/// One of the things that `doctor` looks at. It looks – at a file, the system, an endpoint – and
/// judges what it saw by a static function of its own, which tests hold against made-up sights.
protocol DoctorCheck {
    /// Never fails: what cannot be seen is a finding.
    func findings() async -> [DoctorFinding]
}
