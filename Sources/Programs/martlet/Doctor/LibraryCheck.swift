import ZeroMQ

/// libzmq: new enough, and with CURVE.
struct LibraryCheck: DoctorCheck {
    private static let subject = "libzmq"

    func findings() async -> [DoctorFinding] {
        [Self.judge(.linked, hasCurve: LibraryVersion.hasCurve)]
    }

    static func judge(_ version: LibraryVersion, hasCurve: Bool) -> DoctorFinding {
        guard version >= .floor else {
            return .wrong(
                subject, "\(version) is older than \(LibraryVersion.floor), and has known holes",
                remedy: "install a newer libzmq5")
        }
        guard hasCurve else {
            return .wrong(
                subject, "\(version) is built without CURVE, so that no key can be used",
                remedy: "install one that is built with libsodium, as distributions do")
        }
        return .ok(subject, "\(version), with CURVE")
    }
}
