/// Every bound and every default of the wrapper, side by side.
///
/// The defaults are set on each socket when it is made; the bounds are what the typed options
/// accept.
public enum ZeroMQLimits {
    // MARK: Contexts

    /// Threads that move bytes. One moves about a gigabyte a second.
    public static let ioThreadCountMax = 64
    /// Most sockets one context may be asked to allow.
    public static let socketCountMax = 65_536

    // MARK: Sockets

    /// Descriptors that must be free before a socket binds to a TCP port: one at a time is needed,
    /// and other threads may take some meanwhile.
    static let descriptorsToBind = 4

    /// Longest frame a peer may send before the connection is cut, unless the owner says otherwise.
    public static let frameBytesDefault = 1 << 20
    /// Longest frame a socket can be told to accept.
    public static let frameBytesMax = 1 << 30
    /// Most messages that one queue can be told to hold.
    public static let highWaterMarkMax = 10_000_000
    /// Longest that closing may wait for unsent messages. A longer wait would hang a shutdown.
    public static let lingerMax: Duration = .seconds(1)
    /// Longest subscription. libzmq 4.3.4 loses those of 246 to 255 bytes without a word.
    public static let subscriptionBytesMax = 245
    /// How long a peer may take over its greeting before it is cut off.
    public static let handshakeIntervalDefault: Duration = .seconds(3)
    /// How long one attempt to connect may take.
    public static let connectTimeoutDefault: Duration = .seconds(3)
    /// First pause before connecting again.
    public static let reconnectIntervalDefault: Duration = .milliseconds(100)
    /// Longest pause before connecting again; the pause doubles until it is reached. A peer that is
    /// back is found before a request has waited for so long that it is refused (a second).
    public static let reconnectIntervalMaxDefault: Duration = .milliseconds(500)
    /// How long sent bytes may stay unacknowledged before a tcp connection is given up.
    public static let unacknowledgedTimeDefault: Duration = .seconds(15)
    /// Connections that the kernel may hold before they are accepted.
    public static let backlogDefault = 1_024
    /// Seconds of silence before tcp asks whether the peer is still there.
    static let keepaliveIdleSeconds: CInt = 15
    /// Seconds between two such questions.
    static let keepaliveIntervalSeconds: CInt = 5
    /// Unanswered questions after which a connection is dead.
    static let keepaliveProbeCount: CInt = 3

    // MARK: Frames and pollers

    /// Most frames a ``FrameRing`` can hold.
    public static let ringFrameCountMax = 65_536
    /// Most things one ``Poller`` can watch. Every wait walks over all of them.
    public static let pollItemCountMax = 256

    // MARK: What is not taken

    /// What libzmq keeps of a frame beside its bytes, about.
    static let frameOverheadBytes = 64
    /// Of so many bytes of short frames one is counted, on average: see ``UnsentLedger``.
    static let bytesPerCountMean = 32 << 10

    // MARK: Handshakes

    /// Most handshakes that a ``ZAPHandler`` decides about at a time.
    static let answersMax = 256
    /// Pause between two attempts of a client that may have been refused.
    public static let knockPause: Duration = .seconds(5)

    // MARK: Endpoints

    /// Longest path of an ipc endpoint: what fits in the kernel's `sun_path`, with its final NUL.
    public static let ipcPathBytesMax = 107
    public static let inprocNameBytesMax = 255
    public static let hostBytesMax = 253
    /// Longest text libzmq returns for an endpoint, with its final NUL.
    static let endpointTextBytesMax = 512

    /// The relations that must hold. Called by the tests.
    static func check() {
        precondition(frameBytesDefault <= frameBytesMax, "the default frame is a legal frame")
        precondition(frameBytesMax <= Int(CInt.max), "a frame's length fits every length we pass")
        precondition(highWaterMarkMax <= Int(CInt.max), "libzmq counts messages in 32 bits")
        precondition(
            connectTimeoutDefault < knockPause, "an attempt to connect ends before the next knock")
        precondition(
            reconnectIntervalDefault <= reconnectIntervalMaxDefault,
            "the first pause is the shortest")
        precondition(
            hostBytesMax + 32 <= endpointTextBytesMax
                && inprocNameBytesMax + 32 <= endpointTextBytesMax,
            "every endpoint fits the buffer it is read back into")
    }
}
