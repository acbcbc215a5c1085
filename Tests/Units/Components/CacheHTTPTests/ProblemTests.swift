import ByteCoding
import Testing

@testable import CacheHTTP

@Suite struct ProblemTests {
    @Test(arguments: ProblemKind.allCases)
    func eachKindIsADocumentOfItsOwn(kind: ProblemKind) throws {
        let answer = Problem(kind, "why \"so\"").answer
        #expect(answer.status == kind.status && (400...599).contains(kind.status))
        #expect(answer.fields["Content-Type"] == "application/problem+json")
        #expect(answer.fields["Cache-Control"] == "no-store")
        #expect(answer.fields["Retry-After"] == (kind.retryAfterSeconds.map { "\($0)" }))
        guard case .members(let members) = try JSONReader.read(answer.body) else {
            Issue.record("no object")
            return
        }
        #expect(members.names == ["type", "title", "status", "detail"])
        #expect(members.values[0] == .text("urn:martlet:problem:\(kind.rawValue)"))
        #expect(members.values[2] == .integer(kind.status))
        #expect(members.values[3] == .text("why \"so\""))
    }

    @Test func titlesAreToldApart() {
        #expect(Set(ProblemKind.allCases.map(\.title)).count == ProblemKind.allCases.count)
    }

    @Test func whatMayHaveHappenedIsSaid() {
        var problem = Problem(.timedOut, "")
        problem.mayHaveHappened = true
        #expect(String(decoding: problem.answer.body, as: UTF8.self).contains("may_have_happened"))
    }

    /// Whoever is told that there was no room does it again, unless that is said.
    @Test func whatIsFoundOutAfterwardsOfAChangeMayHaveHappened() {
        let full = Problem(.busy, "no room for the answer")
        for method in ["PUT", "DELETE", "PURGE", "POST"] {
            #expect(full.afterwards(method).mayHaveHappened, "\(method)")
        }
        for method in ["GET", "HEAD"] {
            #expect(!full.afterwards(method).mayHaveHappened, "\(method)")
        }
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="), ("BEARER  x", "x"),
    ])
    func aTokenIsRead(text: String, token: String) throws {
        #expect(try BearerToken.read(FieldList(["authorization": text])) == token)
    }

    @Test(arguments: ["Basic abc", "Bearer", "Bearer a b", "Bearer ä", "abc", "", "Bearer a,b"])
    func whatIsNoTokenIsRefusedWithAChallenge(text: String) {
        do throws(Problem) {
            _ = try BearerToken.read(FieldList(["Authorization": text]))
            Issue.record("taken")
        } catch {
            #expect(error.kind == .unauthenticated)
            #expect(error.fields["WWW-Authenticate"] == "Bearer realm=\"martlet\"")
        }
        #expect((try? BearerToken.read(FieldList())) == .some(nil))
    }
}
