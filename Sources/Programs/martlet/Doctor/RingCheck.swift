import Storage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// io_uring: whether the kernel reads for a disk tier.
struct RingCheck: DoctorCheck {
    private static let subject = "io_uring"

    func findings() async -> [DoctorFinding] { [Self.judge(KernelRing.refusal)] }

    /// - Parameter refusal: the system's error; 0: there was none.
    static func judge(_ refusal: Int32) -> DoctorFinding {
        guard refusal != 0 else { return .ok(subject, "the kernel reads for disk tiers") }
        return .hint(
            subject,
            "not to be had (\(String(cString: strerror(refusal)))): threads read for disk tiers, a "
                + "little slower")
    }
}
