import CZeroMQ
import Testing

@testable import ZeroMQ

@Suite struct SocketOptionTests {
    private func read<Value: FixedWidthInteger>(
        _ code: CInt, of socket: borrowing Socket, as: Value.Type
    ) -> Value? {
        var value: Value = 0
        var length = MemoryLayout<Value>.size
        return zmq_getsockopt(socket.handle, code, &value, &length) == 0 ? value : nil
    }

    @Test(arguments: Socket.Kind.allCases)
    func everySocketStartsWithTheDefaultsOfTheHouse(kind: Socket.Kind) throws {
        let socket = try Socket(Context(), kind)
        let expected: [(CInt, CInt)] = [
            (ZMQ_LINGER, 0), (ZMQ_HANDSHAKE_IVL, 3_000), (ZMQ_CONNECT_TIMEOUT, 3_000),
            (ZMQ_RECONNECT_IVL, 100), (ZMQ_RECONNECT_IVL_MAX, 500), (ZMQ_TCP_MAXRT, 15_000),
            (ZMQ_BACKLOG, 1_024), (ZMQ_TCP_KEEPALIVE, 1), (ZMQ_TCP_KEEPALIVE_IDLE, 15),
            (ZMQ_TCP_KEEPALIVE_INTVL, 5), (ZMQ_TCP_KEEPALIVE_CNT, 3), (ZMQ_IPV6, 0),
            (ZMQ_SNDHWM, 1_000), (ZMQ_RCVHWM, kind == .sub || kind == .dealer ? 0 : 1_000),
            (ZMQ_IMMEDIATE, kind == .dealer ? 1 : 0),
            // Heartbeats can abort the process in 4.3.4.
            (ZMQ_HEARTBEAT_IVL, 0), (ZMQ_HEARTBEAT_TTL, 0),
        ]
        for (code, value) in expected {
            let actual = read(code, of: socket, as: CInt.self)
            #expect(actual == value, "option \(code)")
        }
        let frameBytes = read(ZMQ_MAXMSGSIZE, of: socket, as: Int64.self)
        #expect(frameBytes == 1 << 20)
    }

    @Test func aTypedValueReachesTheSocketInItsUnit() throws {
        let socket = try Socket(Context(), .dealer)
        try socket.set(.linger, to: .milliseconds(250))
        try socket.set(.sendHighWaterMark, to: 7)
        try socket.set(.receiveHighWaterMark, to: .messages(9))
        try socket.set(.maxMessageBytes, to: 3 << 20)
        try socket.set(.immediate, to: false)
        try socket.set(.reconnectInterval, to: .microseconds(1))
        try socket.set(.reconnectIntervalMax, to: .seconds(9))
        try socket.set(.connectTimeout, to: .seconds(2))
        try socket.set(.handshakeInterval, to: .seconds(4))
        try socket.set(.unacknowledgedTime, to: .seconds(5))
        try socket.set(.backlog, to: 3)
        let expected: [(CInt, CInt)] = [
            (ZMQ_LINGER, 250), (ZMQ_SNDHWM, 7), (ZMQ_RCVHWM, 9), (ZMQ_IMMEDIATE, 0),
            (ZMQ_RECONNECT_IVL, 1), (ZMQ_RECONNECT_IVL_MAX, 9_000), (ZMQ_CONNECT_TIMEOUT, 2_000),
            (ZMQ_HANDSHAKE_IVL, 4_000), (ZMQ_TCP_MAXRT, 5_000), (ZMQ_BACKLOG, 3),
        ]
        for (code, value) in expected {
            let actual = read(code, of: socket, as: CInt.self)
            #expect(actual == value, "option \(code)")
        }
        let frameBytes = read(ZMQ_MAXMSGSIZE, of: socket, as: Int64.self)
        #expect(frameBytes == 3 << 20)
        try socket.set(.receiveHighWaterMark, to: .unlimited)
        let mark = read(ZMQ_RCVHWM, of: socket, as: CInt.self)
        #expect(mark == 0)
    }

    @Test func aHighWaterMarkOfZeroIsRefused() async {
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.sendHighWaterMark, to: 0)
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .dealer).set(.receiveHighWaterMark, to: .messages(0))
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.receiveHighWaterMark, to: .unlimited)
        }
    }

    @Test func aLimitThatLibzmqReadsAsNoneIsRefused() async {
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.maxMessageBytes, to: -1)
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.handshakeInterval, to: .zero)
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.linger, to: .seconds(2))
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .router).set(.linger, to: .milliseconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            try Socket(Context(), .sub).set(.xpubVerbose, to: true)
        }
    }

    @Test func theLimitsAgreeWithEachOther() {
        ZeroMQLimits.check()
    }

    @Test func aDurationIsRoundedUpToMilliseconds() {
        let table: [(Duration, CInt)] = [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1_001), 2),
            (.seconds(3), 3_000), (.milliseconds(2_147_483_647), .max), (.seconds(1 << 40), .max),
        ]
        for (duration, milliseconds) in table {
            #expect(duration.wholeMilliseconds == milliseconds)
        }
    }
}
