/// The one bound that a token needs; those of the listener are of NIO.
enum HealthLimits {
    static let tokenBytes = 16...512
}
