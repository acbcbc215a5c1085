import CacheHTTP
import Testing

@testable import GatewayServer

@Suite struct GatewayRouteTests {
    @Test(arguments: [
        ("/v1/images/a/b?c", ResourceShape?.some(.entry)), ("/v1/images", .namespace),
        ("/v1/images:batch", .batch), ("/v1/invalidate", .invalidations),
        ("/v1/explain/images/a", .explanation), ("/v1/cluster", .cluster),
        ("/v1/openapi.json", .document), ("/v1/openapi-3.1.json", .document),
        ("/v1/stream", .stream),
        ("/v1/stream?everything", .stream),
        ("/v1/streams/a", .entry), ("/v1/", nil), ("/v1", nil), ("/", nil), ("", nil),
        ("*", nil), ("/v1/%zz/\u{1}", .entry),
    ])
    func aTargetIsToldByItsPath(target: String, shape: ResourceShape?) {
        #expect(ResourceShape(target: target) == shape)
    }

    /// What is read of a target here is what is read of it where it is obeyed.
    @Test func routesAreThoseOfTheAPI() throws {
        for target in [
            "/v1/images/a/b", "/v1/images", "/v1/images:batch", "/v1/invalidate",
            "/v1/explain/images/a", "/v1/cluster", "/v1/openapi.json",
        ] {
            let shape = try Resource(target: target).shape
            #expect(ResourceShape(target: target) == shape)
        }
        #expect(Set(GatewayTally.routes).count == GatewayTally.routes.count)
        let counted = Set(ResourceShape.allCases).subtracting([.olderDocument])
        #expect(Set(GatewayTally.routes.compactMap(\.self)) == counted)
    }
}
