import EtcdStorage
import Logging
import PublisherCore
import PublisherServer
import Testing
import ZeroMQ

@Suite struct PublisherStartErrorTests {
    private func service(control: String, live: String? = nil) throws -> PublisherService {
        var options = PublisherOptions(
            control: try Endpoint(control), plan: PublisherPlan(nodes: []))
        if let live { options.live = try Endpoint(live) }
        return PublisherService(
            options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func failure(_ service: PublisherService) -> PublisherStartError? {
        do throws(PublisherStartError) {
            _ = try service.start()
            service.stop()
            return nil
        } catch {
            return error
        }
    }

    @Test func aPortInUseIsNamedAndLeavesNothingOpen() throws {
        let first = try service(control: "tcp://127.0.0.1:0")
        let bound = try first.start()
        let second = try service(control: bound.control.description, live: "tcp://127.0.0.1:0")
        let error = failure(second)
        #expect(error == .portInUse(bound.control))
        #expect(error?.description.contains("is in use") == true)
        #expect(
            failure(try service(control: "tcp://127.0.0.1:0", live: bound.live.description))
                == .portInUse(bound.live))
        first.stop()
        // The same one can be tried again.
        #expect(failure(second) == nil)
    }

    @Test func thereIsNoPortAfterTheLastOne() throws {
        let error = failure(try service(control: "tcp://127.0.0.1:65535"))
        #expect(error?.description.contains("name a live endpoint") == true)
    }

    @Test func anAddressThatIsNotHereIsNamed() throws {
        let error = failure(try service(control: "tcp://192.0.2.1:0", live: "tcp://127.0.0.1:0"))
        #expect(error?.description.contains("is not on this machine") == true)
    }

    @Test func itIsStartedOnce() throws {
        let service = try service(control: "tcp://127.0.0.1:0")
        _ = try service.start()
        #expect(failure(service) == .alreadyStarted)
        service.stop()
    }

    @Test func aStateDirectoryThatCannotBeMadeIsNamed() throws {
        var options = PublisherOptions(
            control: try Endpoint("tcp://127.0.0.1:0"), plan: PublisherPlan(nodes: []))
        options.etcd = EtcdPublisherOptions(
            name: "p1", among: [NamedPublisher("p1", at: "tcp://127.0.0.1:7400")],
            client: EtcdOptions(endpoints: ["http://127.0.0.1:1"]), prefix: "/p",
            stateDirectory: "/none/of/these")
        let service = PublisherService(
            options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect("\(String(describing: failure(service)))".contains("/none/of/these"))
    }
}
