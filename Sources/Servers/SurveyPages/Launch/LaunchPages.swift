import FHIRClient
import Foundation
import IndivoBase
import Surveys
import WebServing

/// A survey's pages behind a login at a health record.
///
/// | address | what it is |
/// |---|---|
/// | `/`, `/responses/TOKEN` | the survey, for who is logged in; others go to the record's login first |
/// | `/launch?iss=…&launch=…` | where a health record opens the survey |
/// | `/callback` | where the browser comes back to from the login |
/// | `/logout` | asks, and ends the login |
struct LaunchPages: Sendable {
    static let callback = "callback"
    static let logout = "logout"
    /// How long a login may take, in seconds.
    private static let loginTime = 600.0

    private let survey: Survey
    private let record: SMARTServer
    private let store: any SurveyResponseStore
    private let context: @Sendable () -> SurveyContext
    private let terminology: SurveyTerminology?
    private let report: @Sendable (String) -> Void
    private let now: @Sendable () -> Date
    /// For files, and for what is told to who is not logged in.
    private let open: SurveyPages
    private let registry: LoginRegistry
    private let owners = ResponseOwners()

    init(
        _ survey: Survey,
        record: SMARTServer,
        store: any SurveyResponseStore,
        context: @escaping @Sendable () -> SurveyContext = { SurveyContext() },
        terminology: SurveyTerminology? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        registry: LoginRegistry = LoginRegistry(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.survey = survey
        self.record = record
        self.store = store
        self.context = context
        self.terminology = terminology
        self.now = now
        self.registry = registry
        self.report = report
        open = SurveyPages(survey, store: SurveyResponsesInMemory())
    }

    func respond(to request: Request) async -> Response {
        let path = request.rawPath.split(separator: "/").map(String.init)
        switch (request.method, path) {
        case ("GET", [Self.callback]): return await comeBack(request)
        case ("GET", ["launch"]): return await launch(request)
        case ("GET", [Self.logout]): return open.logoutPage(for: request, address: "/" + Self.logout)
        case ("POST", [Self.logout]): return await logOut(request)
        case _ where path.isEmpty || path.first == "responses":
            let token = request.cookie(sessionCookie) ?? ""
            if let visitor = registry.visitor(token, now: now()) {
                return await visitor.pages.respond(to: request, path)
            }
            guard request.method == "GET" else {
                return open.problem(.loginIsOver, for: request, status: 403)
            }
            return await begin(request, nil, target: target(of: request))
        default: return await open.respond(to: request, path)
        }
    }

    /// Ends all logins.
    func end() async {
        for visitor in registry.removeAll() { await visitor.logOut() }
    }

    // MARK: Logging in

    private func launch(_ request: Request) async -> Response {
        let address = record.app.redirectURI.absoluteString + "?" + request.rawQuery
        guard let ehr = URL(string: address).flatMap(EHRLaunch.init) else {
            return open.problem(.loginFailed, for: request, status: 400)
        }
        return await begin(request, ehr, target: "/")
    }

    private func begin(_ request: Request, _ ehr: EHRLaunch?, target: String) async -> Response {
        // The browser comes back to the redirect URI, and has the cookie there alone.
        let own = record.app.redirectURI
        if let host = request.header("Host"), host.lowercased() != own.authority, request.isFor(host: nil),
            own.scheme == "http"
        {
            let query = request.rawQuery.isEmpty ? "" : "?" + request.rawQuery
            return .seeOther("http://\(own.authority)\(request.rawPath)\(query)")
        }
        var browser = request.cookie(loginCookie) ?? ""
        if !RandomToken.isToken(browser, length: 40) { browser = RandomToken.make(length: 40) }
        let end = now().addingTimeInterval(Self.loginTime)
        let login = PendingLogin(
            record,
            ehr,
            browser: browser,
            address: request.client(isBehindProxy: own.scheme == "https"),
            target: target,
            end: end
        )
        do {
            let page = try await login.page()
            let asked = FormParameters(decoding: page.query(percentEncoded: true) ?? "")
            registry.add(login, state: asked["state"] ?? "", now: now())
            return Response.seeOther(page.absoluteString)
                .adding("Set-Cookie", cookie(loginCookie, browser, seconds: Int(Self.loginTime)))
                .adding("Cache-Control", "no-store")
        } catch {
            report("the login cannot begin: \(error)")
            let isForeign = (error as? SMARTError)?.reason == .launchedByAnotherServer
            return open.problem(
                isForeign ? .loginFailed : .recordNotReached,
                for: request,
                status: isForeign ? 403 : 502
            )
        }
    }

    private func comeBack(_ request: Request) async -> Response {
        let state = FormParameters(decoding: request.rawQuery)["state"] ?? ""
        let browser = request.cookie(loginCookie) ?? ""
        let address = record.app.redirectURI.absoluteString + "?" + request.rawQuery
        guard let login = registry.take(state: state, browser: browser, now: now()),
            let url = URL(string: address)
        else { return open.problem(.loginFailed, for: request, status: 400) }
        let launch: SMARTLaunch
        do { launch = try await login.finish(with: url) } catch {
            report("a login failed: \(error)")
            return open.problem(.loginFailed, for: request, status: 403)
        }
        guard let patient = launch.context.patient else {
            report("a login names no patient; ask for the scope launch/patient")
            try? await launch.logOut()
            return open.problem(.loginFailed, for: request, status: 403)
        }
        let visitor: SurveyVisitor
        do {
            visitor = try await SurveyVisitor(
                launch,
                patient: patient,
                survey,
                store: store,
                owners: owners,
                context: context(),
                terminology: terminology,
                now: now(),
                report: report
            )
        } catch {
            report("the survey cannot be filled: \(error)")
            try? await launch.logOut()
            return open.problem(.recordNotReached, for: request, status: 502)
        }
        let token = RandomToken.make(length: 40)
        let gone = registry.add(visitor, token: token, now: now())
        // Whoever was logged in in this browser before is logged out.
        let former = registry.remove(request.cookie(sessionCookie) ?? "")
        for visitor in gone + [former].compactMap({ $0 }) { await visitor.logOut() }
        return Response.seeOther(login.target)
            .adding("Set-Cookie", cookie(sessionCookie, token, seconds: Int(SurveyVisitor.lifetime)))
            .adding("Cache-Control", "no-store").adding("Referrer-Policy", "no-referrer")
    }

    private func logOut(_ request: Request) async -> Response {
        guard request.isFromOwnPage else {
            return open.problem(.loginIsOver, for: request, status: 403)
        }
        if let visitor = registry.remove(request.cookie(sessionCookie) ?? "") { await visitor.logOut() }
        return open.loggedOutPage(for: request)
            .adding("Set-Cookie", cookie(sessionCookie, "", seconds: 0))
    }

    /// The page that was asked for. It is one of these pages: nothing of another site is in it.
    private func target(of request: Request) -> String {
        let path = "/" + request.rawPath.split(separator: "/").joined(separator: "/")
        return path + (request.rawQuery.isEmpty ? "" : "?" + request.rawQuery)
    }

    // MARK: Cookies

    /// Cookies are shared by all ports of a host.
    private var suffix: String { record.app.redirectURI.port.map { "_\($0)" } ?? "" }
    private var loginCookie: String { "survey_login" + suffix }
    private var sessionCookie: String { "survey_session" + suffix }

    /// Lax and not Strict: the browser comes from the record's login.
    private func cookie(_ name: String, _ value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(seconds)"
            + (record.app.redirectURI.scheme == "https" ? "; Secure" : "")
    }
}

extension URL {
    /// Host and port, as a browser names them.
    fileprivate var authority: String {
        (host()?.lowercased() ?? "") + (port.map { ":\($0)" } ?? "")
    }
}
