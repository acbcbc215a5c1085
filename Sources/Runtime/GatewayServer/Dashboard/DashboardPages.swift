import ByteCoding
import CacheHTTP
import Cryptography

/// Serves the dashboard: a page and its parts, the same for all users and without data of the
/// cluster. The page requests its data like any other client, with its user's token.
enum DashboardPages {
    /// The browser's permissions for the page. Scripts come only from here, and the only style is
    /// the page's own. Values are `application/octet-stream` with `nosniff`: none is interpreted as
    /// a script. Text is never parsed as markup: the last two lines make the browser refuse that.
    static let policy = [
        "default-src 'none'", "script-src 'self'",
        "style-src '\(DashboardFile.styleHash)'", "img-src 'self'", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// The answer to a request that names the dashboard; `nil` for one that names something else.
    ///
    /// - Throws: ``ProblemKind/methodNotAllowed`` and the like.
    static func answer(_ head: RequestHead) throws(Problem) -> Answer? {
        if let place = redirections[head.target] {
            try checkMethod(head)
            return Answer(302, FieldList(["Location": place, "Cache-Control": "no-cache"]))
        }
        guard let file = DashboardFile.all.first(where: { $0.path == head.target }) else {
            return nil
        }
        try checkMethod(head)
        return try answer(file, head)
    }

    /// Entry paths, and the page relative to them.
    private static let redirections = ["/": "dashboard", DashboardFile.folder: "../dashboard"]

    private static func checkMethod(_ head: RequestHead) throws(Problem) {
        guard GatewayMethod(rawValue: head.method)?.isSafe != true else { return }
        var problem = Problem(.methodNotAllowed, "the dashboard has GET, HEAD")
        problem.fields.append("Allow", "GET, HEAD")
        throw problem
    }

    private static func answer(
        _ file: DashboardFile, _ head: RequestHead
    ) throws(Problem) -> Answer {
        let isKnown = try Conditions(head.fields).names(file.tag)
        var answer = Answer(isKnown ? 304 : 200, body: isKnown ? [] : file.bytes)
        if !isKnown { answer.fields.append("Content-Type", file.contentType) }
        answer.fields.append("ETag", file.tag.text)
        // Revalidated each time: a page of an older release with scripts of a newer one would be
        // worse than a few answers without a body.
        answer.fields.append("Cache-Control", "no-cache")
        answer.fields.append("Content-Security-Policy", policy)
        answer.fields.append("X-Content-Type-Options", "nosniff")
        answer.fields.append("Referrer-Policy", "no-referrer")
        answer.fields.append("Cross-Origin-Opener-Policy", "same-origin")
        answer.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        return answer
    }
}

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
