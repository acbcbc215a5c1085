import CPlatform
import CZeroMQ
import LibC

extension Socket {
    /// Binds `endpoint` and returns the bound endpoint, with the port that the system chose for 0,
    /// and the address that `*` stood for.
    ///
    /// An ipc path that another process listens on is taken over without an error, because libzmq
    /// removes the file first; guard such paths with a lock file of your own.
    ///
    /// In a context with keys the returned endpoint has the context's public key, and each peer
    /// that connects must prove its key: the ``ZAPHandler`` receives `domain`.
    ///
    /// - Parameter other: a key pair to listen with here instead of the context's. One socket may
    ///   listen at several endpoints, each with a key of its own.
    /// - Throws: ``ZeroMQError/isAddressInUse``, ``ZeroMQError/isPermissionDenied``,
    ///   ``ZeroMQError/isAddressNotAvailable``, ``ZeroMQError/isNotFound`` for an ipc path in no
    ///   folder, ``ZeroMQError/isOutOfDescriptors``. The socket then listens where it listened
    ///   before.
    @discardableResult
    public func bind(
        _ endpoint: Endpoint, domain: ZAPDomain = .unspecified, keys other: CurveKeyPair? = nil
    ) throws(ZeroMQError) -> Endpoint {
        try chooseAddressFamily(for: endpoint)
        let keys = endpoint.transport == .inproc ? nil : other ?? context.keys
        if let keys { try serve(with: keys, domain) }
        if endpoint.transport == .tcp { try Self.lookForDescriptors() }
        let text = endpoint.libraryText
        try ZeroMQError.calling(during: .binding) { zmq_bind(handle, text) }
        let bound = try lastEndpoint()
        return keys.map { bound.withServerKey($0.publicKey) } ?? bound
    }

    /// libzmq lists the machine's interfaces before it binds, and ends the process if there is no
    /// descriptor for that (`ip_resolver.cpp`, 4.3.4).
    private static func lookForDescriptors() throws(ZeroMQError) {
        let failure = martlet_descriptors_probe(CInt(ZeroMQLimits.descriptorsToBind))
        guard failure == 0 else { throw ZeroMQError(errno: failure, during: .binding) }
    }

    /// Stops listening at an endpoint that ``bind(_:)`` returned. Connections that stand remain.
    ///
    /// - Throws: ``ZeroMQError/isNotFound`` if the socket does not listen there.
    public func unbind(_ endpoint: Endpoint) throws(ZeroMQError) {
        let text = endpoint.libraryText
        try ZeroMQError.calling(during: .unbinding) { zmq_unbind(handle, text) }
    }

    /// Connects to `endpoint`, now or when a socket is bound there, and again whenever the
    /// connection breaks. A refused handshake is not retried: ``SecondKnock``. Returns before the
    /// connection stands.
    ///
    /// - Throws: `EINVAL` for an endpoint that is only for binding; ``ZeroMQError/isKeyMissing`` if
    ///   one side has a key and the other none.
    public func connect(_ endpoint: Endpoint) throws(ZeroMQError) {
        guard endpoint.transport != .inproc else { return try connect(endpoint, presenting: nil) }
        guard (endpoint.serverKey == nil) == (context.keys == nil) else {
            throw ZeroMQError(errno: ZeroMQError.keyMissing, during: .connecting)
        }
        try connect(endpoint, presenting: context.keys)
    }

    /// Connects with these keys, or, with `nil`, without any.
    func connect(
        _ endpoint: Endpoint, presenting keys: CurveKeyPair?
    ) throws(ZeroMQError) {
        guard endpoint.isConnectable else { throw ZeroMQError(errno: EINVAL, during: .connecting) }
        try chooseAddressFamily(for: endpoint)
        if let keys, let serverKey = endpoint.serverKey { try ask(serverKey, with: keys) }
        let text = endpoint.libraryText
        try ZeroMQError.calling(during: .connecting) { zmq_connect(handle, text) }
    }

    /// Ends the connection to `endpoint`, if libzmq has not given it up, and connects there anew.
    /// What was queued for it is dropped.
    func reconnect(_ endpoint: Endpoint) throws(ZeroMQError) {
        do {
            try disconnect(endpoint)
        } catch {
            // libzmq no longer knows an endpoint that it has given up.
            guard error.isNotFound else { throw error }
        }
        try connect(endpoint)
    }

    /// Ends the connection to `endpoint` and drops what was queued for it.
    ///
    /// - Throws: ``ZeroMQError/isNotFound`` if the socket never connected there.
    public func disconnect(_ endpoint: Endpoint) throws(ZeroMQError) {
        let text = endpoint.libraryText
        try ZeroMQError.calling(during: .disconnecting) { zmq_disconnect(handle, text) }
    }

    /// Lets the next bind or connect use IPv6 exactly if its endpoint is written in it.
    private func chooseAddressFamily(for endpoint: Endpoint) throws(ZeroMQError) {
        try SocketOptionPayload.int32(endpoint.isIPv6 ? 1 : 0).write(ZMQ_IPV6, to: handle)
    }

    private func lastEndpoint() throws(ZeroMQError) -> Endpoint {
        var text = [UInt8](repeating: 0, count: ZeroMQLimits.endpointTextBytesMax)
        var length = text.count
        try ZeroMQError.calling(during: .binding) {
            text.withUnsafeMutableBytes {
                zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, $0.baseAddress, &length)
            }
        }
        // The length counts the final NUL.
        let written = String(decoding: text.prefix(max(length - 1, 0)), as: UTF8.self)
        do {
            return try Endpoint(written)
        } catch {
            throw ZeroMQError(errno: EPROTO, during: .binding)
        }
    }
}
