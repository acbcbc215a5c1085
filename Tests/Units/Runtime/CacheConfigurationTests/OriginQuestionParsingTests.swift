import CacheConfiguration
import Testing

/// How an origin is asked: what cannot be meant is refused, once, with its remedy.
@Suite struct OriginQuestionParsingTests {
    @Test(
        arguments: [
            (#"url: "http://h/x", method: POST"#, "method: a POST needs a body"),
            (#"url: "http://h/{key}", body: '{"k":"{key}"}'"#, "body: a GET has none"),
            (#"url: "http://h/x", method: post, body: x"#, "method: \"post\" is not one of GET"),
            (
                #"url: "http://h/x", method: POST, body: '{"k":"v"}'"#,
                "body: neither it nor the url has {key}"
            ),
            (
                #"url: "http://h/x", method: POST, body: '{"k":{key}}'"#,
                "body: a placeholder is outside"
            ),
            (
                #"url: "http://h/x", method: POST, body: '"{key}"', write-behind: true"#,
                "write-behind: writes are PUT and DELETE at the url, which has no {key}"
            ),
            (#"url: "http://h/x""#, "url: the origin's URL has no {key}"),
            (
                #"url: "http://h/{key}", tls: {authority: ca.pem}"#,
                "tls: the url is not one of https"
            ),
            (
                #"url: "https://h/{key}", tls: {certificate: n.pem}"#,
                "tls.certificate: certificate and key come together"
            ),
            (
                #"url: "https://h/{key}", tls: {key: n.key}"#,
                "tls.key: certificate and key come together"
            ),
            (
                #"url: "https://h/{key}", tls: {authority: ../ca.pem}"#,
                "tls.authority: \"../ca.pem\" could lead out"
            ),
            (
                #"url: "http://h/{key}", headers: {a: "${file:/etc/passwd}"}"#,
                "headers: the field “a” for the origin names a file"
            ),
        ])
    func oneProblemIsToldOnce(settings: String, expected: String) {
        let text = "nodes: [{id: n1}]\nnamespaces: {a: {origin: {\(settings)}}}\n"
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.count == 1, "\(lines)")
        #expect(
            lines.first?.contains("namespaces.a.origin.\(expected)") == true, "\(lines)")
    }

    @Test func aURLWithoutAKeyIsTakenWhereTheBodyNamesIt() throws {
        let text = """
            nodes: [{id: n1}]
            namespaces: {a: {origin: {url: "http://h/x", method: POST, body: '["{key}"]'}}}
            """
        #expect(ConfigurationSamples.refusal(of: text) == [])
        #expect(try ConfigurationSamples.parsed(text).yamlText().contains("method: POST"))
    }
}
