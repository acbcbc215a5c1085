package import ZeroMQ

/// Where a publisher listens in truth.
package struct PublisherEndpoints: Hashable, Sendable {
    package let control: Endpoint
    package let live: Endpoint
}
