import Testing

@testable import GatewayServer

@Suite struct TokenHashTests {
    @Test func itIsWhatSha256sumPrints() {
        #expect(
            "\(TokenHash.hash("secret"))"
                == "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b")
    }
}
