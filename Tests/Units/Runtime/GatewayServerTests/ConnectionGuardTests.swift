import CacheHTTP
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import GatewayServer

@Suite struct ConnectionGuardTests {
    /// A connection, and an answer of a MiB on it that has begun: its time is 30 s and 16 s.
    private static func answering() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(
            handler: ConnectionGuard(patience: .seconds(30), GatewayMeter()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        var answer = Answer(200)
        answer.contentLength = 16 * GatewayLimits.pieceBytes
        try channel.writeOutbound(HTTPResponsePart.head(.init(answer)))
        return channel
    }

    private static func writePiece(_ channel: EmbeddedChannel) throws {
        let piece = ByteBuffer(repeating: 7, count: GatewayLimits.pieceBytes)
        try channel.writeOutbound(HTTPResponsePart.body(piece))
    }

    @Test func aClientThatReadsAWholeResponseTooSlowlyIsDisconnected() throws {
        let channel = try Self.answering()
        for _ in 0..<15 {
            try Self.writePiece(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(3))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aClientThatReadsAWholeResponseInTimeStaysConnected() throws {
        let channel = try Self.answering()
        for _ in 0..<16 {
            try Self.writePiece(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        }
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .minutes(10))
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
