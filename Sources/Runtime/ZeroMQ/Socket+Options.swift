extension Socket {
    /// Sets an option for the bindings and connections made from now on.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func set<Value>(
        _ option: SocketOption<Value>, to value: Value
    ) throws(ZeroMQError) {
        let payload = option.encode(value, kind)
        try Self.onTheWire(payload, of: option.code, isKeyed: context.keys != nil)
            .write(option.code, to: handle)
    }

    /// Asks a SUB socket's peers for the messages that begin with `prefix`; an empty prefix asks
    /// for all.
    ///
    /// The request travels like a message, so whatever is published before it arrives is missed.
    /// Asking twice needs unsubscribing twice.
    ///
    /// - Parameter prefix: at most ``ZeroMQLimits/subscriptionBytesMax`` bytes.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func subscribe(prefix: some Collection<UInt8>) throws(ZeroMQError) {
        try set(.subscribe, to: Array(prefix))
    }

    /// Takes one subscription to `prefix` back.
    ///
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    public func unsubscribe(prefix: some Collection<UInt8>) throws(ZeroMQError) {
        try set(.unsubscribe, to: Array(prefix))
    }
}
