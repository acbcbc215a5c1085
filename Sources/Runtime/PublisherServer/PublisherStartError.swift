package import AccessControl
package import EtcdStorage
package import Storage
package import Threading
package import ZeroMQ

/// Why a publisher could not start. Nothing is left open.
package enum PublisherStartError: Error, Equatable, CustomStringConvertible {
    case portInUse(Endpoint)
    case addressNotHere(Endpoint)
    case forbidden(Endpoint)
    /// The live channel has no endpoint of its own, and none can be derived.
    case noLiveEndpoint(control: Endpoint)
    case alreadyStarted
    case log(LogFileError)
    case etcd(EtcdStartError)
    case access(AccessControlError)
    case noThread(ThreadStartError)
    case other(ZeroMQError)

    init(binding endpoint: Endpoint, _ error: ZeroMQError) {
        if error.isAddressInUse {
            self = .portInUse(endpoint)
        } else if error.isAddressNotAvailable || error.isNotFound {
            self = .addressNotHere(endpoint)
        } else if error.isPermissionDenied {
            self = .forbidden(endpoint)
        } else {
            self = .other(error)
        }
    }

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .portInUse(let endpoint):
            "\(endpoint) is in use; stop the process that listens there or choose another port"
        case .addressNotHere(let endpoint):
            "\(endpoint) is not on this machine; choose an address or directory that it has"
        case .forbidden(let endpoint):
            "the system forbids listening on \(endpoint); choose a port above 1023 or a folder "
                + "that may be written"
        case .noLiveEndpoint(let control):
            "there is no port after \(control) for the live channel; name a live endpoint"
        case .alreadyStarted: "a publisher is started once; make another one"
        case .log(let error): "the log cannot be opened: \(error)"
        case .etcd(let error): "the log on etcd cannot be opened: \(error)"
        case .access(let error): "\(error)"
        case .noThread(let error): "the publisher could not start: \(error)"
        case .other(let error): "the publisher could not start: \(error)"
        }
    }
}
