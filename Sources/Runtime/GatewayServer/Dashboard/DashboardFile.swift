import ByteCoding
import CacheHTTP
import Cryptography

/// One file of the dashboard, as in `Dashboard/Page` and in this program.
struct DashboardFile: Sendable {
    let path: String
    let contentType: String
    let bytes: [UInt8]
    let tag: EntityTag

    init(_ path: String, _ contentType: String, _ bytes: [UInt8]) {
        self.path = path
        self.contentType = contentType
        self.bytes = bytes
        let digits = String(StableHash.hash(bytes), radix: 16)
        tag = EntityTag(Array("h\(digits)-\(bytes.count)".utf8))
    }

    /// The path of the page. All its other files are below it, and are named relatively, so that a
    /// proxy may add a prefix to all of them.
    static let page = "/dashboard"
    static let folder = page + "/"

    static let all = [
        DashboardFile(page, "text/html; charset=utf-8", pageWithStyle),
        DashboardFile(folder + "icon.svg", "image/svg+xml", PackageResources.icon_svg),
        script("dashboard.js", PackageResources.dashboard_js),
        script("chart.js", PackageResources.chart_js),
        script("cluster.js", PackageResources.cluster_js),
        script("explorer.js", PackageResources.explorer_js),
        script("gateway.js", PackageResources.gateway_js),
        script("history.js", PackageResources.history_js),
        script("invalidation.js", PackageResources.invalidation_js),
        script("stream.js", PackageResources.stream_js),
        script("words.js", PackageResources.words_js),
    ]

    /// The line of the page's source that the style replaces, so that the browser can paint without
    /// another request.
    static let styleMark = #"<link rel="stylesheet" href="dashboard/dashboard.css">"#

    /// The hash of the style for the policy.
    static let styleHash =
        "sha256-" + Base64Text.text(of: SHA2.sha256.digest(of: PackageResources.dashboard_css))

    private static var pageWithStyle: [UInt8] {
        let style = Array("<style>".utf8) + PackageResources.dashboard_css + "</style>".utf8
        return Array(PackageResources.dashboard_html.replacing(Array(styleMark.utf8), with: style))
    }

    private static func script(_ name: String, _ bytes: [UInt8]) -> DashboardFile {
        DashboardFile(folder + name, "text/javascript; charset=utf-8", bytes)
    }
}
