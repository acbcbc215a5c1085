import GatewayCore

extension GatewayOptions {
    /// Options of the near cache.
    package struct Near: Hashable, Sendable {
        package static let bytesRange = NearLimits.bytesMin...NearLimits.bytesMax
        package static let ageRange = NearLimits.ageMin...NearLimits.ageMax

        /// Within ``bytesRange``.
        package var bytesMax: Int
        /// How long a value is served after a node was asked for it; within ``ageRange``.
        package var ageMax = NearLimits.ageStandard

        package init(bytesMax: Int) { self.bytesMax = bytesMax }
    }
}
