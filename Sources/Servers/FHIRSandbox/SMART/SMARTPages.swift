import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import WebServing

/// The pages of a login: who the person is, which patient, and what the app may do. They work without
/// scripts, by keyboard, and on a phone.
struct SMARTPages: Sendable {
    let endpoints: SMARTEndpoints
    let request: Request
    let base: String

    /// The cookie of the login. Cookies are shared by all ports of a host, so its name has the port.
    static func cookie(_ base: String) -> String {
        "fhir_session" + (URL(string: base)?.port.map { "_\($0)" } ?? "")
    }

    init(_ endpoints: SMARTEndpoints, request: Request, base: String) {
        self.endpoints = endpoints
        self.request = request
        self.base = base
    }

    private var state: SMARTState { endpoints.state }

    /// The parameters of the query, or of the form.
    private var parameters: FormParameters {
        request.method == "POST"
            ? FormParameters(decoding: request.body) : FormParameters(decoding: request.rawQuery)
    }

    /// The session of the person who is logged in in the browser.
    var session: SMARTState.BrowserSession? { state.session(sessionToken) }

    private var sessionToken: String? { request.cookie(Self.cookie(base)) }

    // MARK: Authorization

    /// Where an app sends the browser (RFC 6749, section 4.1.1; SMART App Launch 2.2, "Obtain authorization
    /// code").
    func authorize() async -> Response {
        let asked = parameters
        guard Set(asked.map(\.name)).count == asked.count else {
            return problem("The app's request has a parameter twice.")
        }
        guard let app = state.app(asked["client_id"] ?? "") else {
            return problem("The app is not registered here (client_id).")
        }
        let redirectURI = asked["redirect_uri"] ?? ""
        // Nobody is redirected to an address that is not registered for the app.
        guard app.redirectURIs.contains(redirectURI) else {
            return problem(
                "The app asks to go back to an address that it is not registered with (redirect_uri)."
            )
        }
        func refuse(_ code: String, _ why: String) -> Response {
            back(
                redirectURI,
                [
                    "error": code, "error_description": why, "state": asked["state"] ?? "", "iss": base,
                ]
            )
        }
        guard asked["response_type"] == "code" else {
            return refuse("unsupported_response_type", "response_type is code")
        }
        guard let appState = asked["state"], !appState.isEmpty else {
            return refuse("invalid_request", "state is missing")
        }
        guard asked["code_challenge_method"] == "S256", let challenge = asked["code_challenge"],
            challenge.utf8.count == 43
        else { return refuse("invalid_request", "PKCE by S256 is needed: code_challenge") }
        guard endpoints.isOwn(base) else {
            return refuse("invalid_request", "the sandbox does not know its base URL off this machine")
        }
        guard isThisServer(asked["aud"] ?? asked["resource"] ?? "") else {
            return refuse("invalid_request", "aud is not this FHIR server, \(base)")
        }
        guard appState.utf8.count <= 1_000, (asked["nonce"] ?? "").utf8.count <= 1_000,
            (asked["scope"] ?? "").utf8.count <= 4_000
        else { return refuse("invalid_request", "state, nonce or scope is too long") }
        var login = SMARTState.Login(
            app: app,
            redirectURI: redirectURI,
            scopes: Self.grantable([SMARTScope](parsing: asked["scope"] ?? "")),
            state: appState,
            challenge: challenge,
            nonce: asked["nonce"],
            base: base,
            end: state.time.addingTimeInterval(600)
        )
        guard !login.scopes.isEmpty else {
            return refuse("invalid_scope", "none of the scopes can be granted to a person")
        }
        if let id = asked["launch"] {
            guard let launch = state.takeLaunch(id) else {
                return refuse("invalid_request", "the launch is unknown, used or over")
            }
            login.patient = launch.patient
            login.encounter = launch.encounter
            login.isLaunched = true
        }
        return step(state.begin(login))
    }

    /// The scopes that a person can grant.
    private static func grantable(_ scopes: [SMARTScope]) -> [SMARTScope] {
        scopes.filter { scope in
            switch scope {
            case .resources(let resources): resources.level != .system
            case .other: false
            default: true
            }
        }
    }

    private func isThisServer(_ audience: String) -> Bool {
        var audience = audience[...]
        while audience.hasSuffix("/") { audience.removeLast() }
        if audience == base { return true }
        guard SMARTEndpoints.isLoopback(base), let asked = URL(string: String(audience)),
            let own = URL(string: base)
        else { return false }
        return asked.scheme == own.scheme && asked.path() == own.path() && asked.port == own.port
            && SMARTEndpoints.isLoopback(String(audience)) && asked.query() == nil
    }

    /// The browser goes back to the app.
    private func back(_ redirectURI: String, _ parameters: FormParameters) -> Response {
        .redirect(to: redirectURI + (redirectURI.contains("?") ? "&" : "?") + parameters.encoded)
            .adding("Cache-Control", "no-store").adding("Referrer-Policy", "no-referrer")
    }

    private func step(_ login: String) -> Response { .seeOther("/auth/decide?login=\(login)") }

    // MARK: Logging in

    func logIn() async -> Response {
        let fields = parameters
        let target = Self.ownPath(fields["return"])
        guard request.method == "POST" else { return loginForm(target, problem: nil) }
        guard request.isFromOwnPage else { return problem("The form is not from this server.", status: 403) }
        guard let user = state.user(fields["name"] ?? "", Secret(fields["password"] ?? "")) else {
            return loginForm(
                target,
                name: fields["name"] ?? "",
                problem: "User name and password do not fit. After five attempts wait a minute."
            )
        }
        return Response.seeOther(target).adding("Set-Cookie", setCookie(state.beginSession(user)))
    }

    func logOut() -> Response {
        guard let session, parameters["csrf"] == session.csrf else {
            return problem("The form is not from this server.", status: 403)
        }
        state.endSession(sessionToken)
        return Response.seeOther("/auth/login").adding("Set-Cookie", setCookie(nil))
    }

    /// Lax and not Strict: the browser comes from the app, and may be logged in already.
    private func setCookie(_ token: String?) -> String {
        "\(Self.cookie(base))=\(token ?? ""); Path=/; HttpOnly; SameSite=Lax"
            + (base.hasPrefix("https:") ? "; Secure" : "") + (token == nil ? "; Max-Age=0" : "")
    }

    /// A page of this server, and no other.
    private static func ownPath(_ path: String?) -> String {
        guard let path, path.hasPrefix("/"), !path.hasPrefix("//"), !path.hasPrefix("/\\"),
            path.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return "/" }
        return path
    }

    /// Sends the browser to the login, and back afterwards.
    func loginFirst() -> Response {
        let target = request.rawPath + (request.rawQuery.isEmpty ? "" : "?" + request.rawQuery)
        return .seeOther("/auth/login?" + (["return": target] as FormParameters).encoded)
    }

    private func loginForm(_ target: String, name: String = "", problem: String?) -> Response {
        let isDemo = state.configuration.users.contains { $0.name == "demo" && $0.password == "demo" }
        return page(
            "Log in",
            .loginForm(
                "/auth/login",
                target: ("return", target),
                user: ("name", name),
                problem: problem,
                isDemo: isDemo
            )
        )
    }

    // MARK: The patient

    /// Lets the person choose the patient whose resources the app gets.
    func choosePatient() async -> Response {
        guard let session else { return loginFirst() }
        let fields = parameters
        let id = fields["login"] ?? ""
        guard let login = state.login(id) else { return expired }
        guard request.method == "POST" else {
            return await patientList(id, login, session, fields["find"] ?? "")
        }
        guard fields["csrf"] == session.csrf else {
            return problem("The form is not from this server.", status: 403)
        }
        let patient = fields["patient"] ?? ""
        guard session.user.patient ?? patient == patient, await exists(patient) else {
            return problem("There is no such patient, or it is not yours.", status: 404)
        }
        state.change(id) { $0.patient = patient }
        return step(id)
    }

    private func exists(_ patient: String) async -> Bool {
        do {
            return try await endpoints.server.read(base: base) { session in
                try session.store.current("Patient", patient)?.isDeleted == false
            }
        } catch {
            endpoints.server.logFailure(error)
            return false
        }
    }

    private static let listLimit = 50

    private func patients(_ name: String, for session: SMARTState.BrowserSession) async -> (
        rows: [(id: String, label: Markup)], total: Int
    ) {
        var query = QueryItems([("_sort", "family,given"), ("_count", String(Self.listLimit))])
        if !name.isEmpty { query = query.adding("name", name.replacing(",", with: " ")) }
        // A patient sees no others.
        if let own = session.user.patient { query = query.adding("_id", own) }
        var search = SandboxRequest(interaction: .search(type: "Patient"))
        search.query = query
        let asked = search
        do {
            let bundle = try await endpoints.server.read(base: base) { try $0.search("Patient", asked) }
            let rows = bundle.elements(of: "entry").compactMap { entry -> (String, Markup)? in
                guard let patient = entry["resource"], let id = patient["id"]?.string else { return nil }
                let birth = patient["birthDate"]?.string.map { ", born \($0)" } ?? ""
                return (id, "\(ResourceText.name(of: patient))\(birth)")
            }
            return (rows, bundle["total"]?.integer ?? rows.count)
        } catch {
            endpoints.server.logFailure(error)
            return ([], 0)
        }
    }

    private func patientList(
        _ id: String,
        _ login: SMARTState.Login,
        _ session: SMARTState.BrowserSession,
        _ name: String
    ) async -> Response {
        let (rows, total) = await patients(name, for: session)
        let items = rows.map { row -> Markup in
            "<li><button name=\"patient\" value=\"\(row.id)\">\(row.label)</button></li>"
        }
        let more: Markup =
            total > rows.count ? "<p class=\"quiet\">The first \(rows.count) of \(total).</p>" : .empty
        let list: Markup =
            items.isEmpty ? "<p>Nobody is found.</p>" : "<ul class=\"list choices\">\(items)</ul>"
        return page(
            "Choose a patient",
            for: session,
            """
            <p>Whose data shall <strong>\(login.app.name)</strong> get?</p>
            <section aria-label="Patients">
            <form class="main" method="get" action="/auth/patient">
            <input type="hidden" name="login" value="\(id)">
            <label>Name<input name="find" value="\(name)"></label><div><button>Find</button></div></form>
            <form method="post" action="/auth/patient">\(hidden(id, session))
            \(list)
            </form>\(more)</section>
            """
        )
    }

    private func hidden(_ login: String, _ session: SMARTState.BrowserSession) -> Markup {
        """
        <input type="hidden" name="login" value="\(login)"><input type="hidden" name="csrf" \
        value="\(session.csrf)">
        """
    }

    // MARK: Consent

    /// The next step of a login: who the person is, which patient, and what the app may do.
    func decide() async -> Response {
        guard let session else { return loginFirst() }
        let fields = parameters
        let id = fields["login"] ?? ""
        guard var login = state.login(id) else { return expired }
        if login.patient == nil, Self.needsPatient(login) {
            guard let own = session.user.patient else { return .seeOther("/auth/patient?login=\(id)") }
            login.patient = own
            state.change(id) { $0.patient = own }
        }
        if let own = session.user.patient, let patient = login.patient, own != patient {
            return problem("The app asks for another patient than you.", status: 403)
        }
        if login.encounter == nil, login.scopes.contains(.launchEncounter), let patient = login.patient,
            let latest = await latestEncounter(of: patient)
        {
            login.encounter = latest
            state.change(id) { $0.encounter = latest }
        }
        guard request.method == "POST" else { return await consent(id, login, session) }
        guard fields["csrf"] == session.csrf else {
            return problem("The form is not from this server.", status: 403)
        }
        guard state.end(id) != nil else { return expired }
        guard fields["decision"] == "allow" else {
            return back(
                login.redirectURI,
                ["error": "access_denied", "state": login.state, "iss": login.base]
            )
        }
        let allowed = Set(fields.values(of: "scope"))
        login.scopes = login.scopes.filter { $0.resourceScope == nil || allowed.contains($0.description) }
        let code = state.code(for: login, by: session.user, in: sessionToken)
        return back(login.redirectURI, ["code": code, "state": login.state, "iss": login.base])
    }

    private static func needsPatient(_ login: SMARTState.Login) -> Bool {
        login.scopes.contains { $0 == .launchPatient || $0.resourceScope?.level == .patient }
    }

    private func latestEncounter(of patient: String) async -> String? {
        var search = SandboxRequest(interaction: .search(type: "Encounter"))
        search.query = QueryItems([("patient", patient), ("_sort", "-date"), ("_count", "1")])
        let asked = search
        let bundle = try? await endpoints.server.read(base: base) { try $0.search("Encounter", asked) }
        return bundle?["entry"]?[0]?["resource"]?["id"]?.string
    }

    private func consent(_ id: String, _ login: SMARTState.Login, _ session: SMARTState.BrowserSession) async
        -> Response
    {
        var who: Markup = .empty
        if let patient = login.patient {
            let name = try? await endpoints.server.read(base: base) { session in
                ResourceText.name(of: try session.existing("Patient", patient).json())
            }
            who = "<p>Patient: <strong>\(name ?? patient)</strong></p>"
        }
        let items = login.scopes.map { scope -> Markup in
            let text = SMARTScopeText.text(of: scope)
            guard scope.resourceScope != nil else { return "<li>\(text)</li>" }
            return """
                <li><label class="choice"><input type="checkbox" name="scope" value="\(scope.description)" \
                checked> <span>\(text) <code>\(scope.description)</code></span></label></li>
                """
        }
        let target = URL(string: login.redirectURI)
        let place = target?.host().map { host in target?.port.map { "\(host):\($0)" } ?? host }
        return page(
            "Allow \(login.app.name)?",
            for: session,
            """
            <section aria-label="What the app asks for">
            <p><strong>\(login.app.name)</strong> asks for the following. You go back to \
            <code>\(place ?? login.redirectURI)</code> then.</p>\(who)
            <form method="post" action="/auth/decide">\(hidden(id, session))
            <ul class="able">\(items)</ul>
            <div class="choices"><button class="primary" name="decision" value="allow">Allow</button> \
            <button name="decision" value="deny">Not now</button></div>
            </form></section>
            """
        )
    }

    // MARK: Launching

    /// Launches an app as a health record does.
    func launch() async -> Response {
        guard let session else { return loginFirst() }
        let fields = parameters
        guard request.method == "POST" else { return await launchForm(session, fields["find"] ?? "") }
        guard fields["csrf"] == session.csrf else {
            return problem("The form is not from this server.", status: 403)
        }
        let patient = fields["patient"] ?? ""
        guard let launchURL = state.app(fields["app"] ?? "")?.launchURL,
            session.user.patient ?? patient == patient,
            await exists(patient)
        else { return problem("There is no such app or patient.", status: 404) }
        let id = state.launch(patient: patient, encounter: await latestEncounter(of: patient))
        return back(launchURL, ["iss": base, "launch": id])
    }

    private func launchForm(_ session: SMARTState.BrowserSession, _ name: String) async -> Response {
        let apps = state.launchableApps
        guard !apps.isEmpty else {
            return page("Launch an app", for: session, "<p>No app is registered with a launch URL.</p>")
        }
        let choices = apps.enumerated().map { index, app -> Markup in
            let checked: Markup = index == 0 ? " checked" : .empty
            return """
                <li><label class="choice">\
                <input type="radio" name="app" value="\(app.id)"\(checked) required> \
                <span>\(app.name)</span></label></li>
                """
        }
        let (rows, _) = await patients(name, for: session)
        let items = rows.map { row -> Markup in
            "<li><button name=\"patient\" value=\"\(row.id)\">\(row.label)</button></li>"
        }
        return page(
            "Launch an app",
            for: session,
            """
            <p>The app opens for the patient, as from a health record.</p>
            <section aria-label="Patients"><form class="main" method="get" action="/auth/launch">
            <label>Name<input name="find" value="\(name)"></label><div><button>Find</button></div></form>
            <form method="post" action="/auth/launch">
            <input type="hidden" name="csrf" value="\(session.csrf)">
            <fieldset><legend>App</legend><ul class="able">\(choices)</ul></fieldset>
            <ul class="list choices">\(items)</ul></form></section>
            """
        )
    }

    // MARK: Layout

    private var expired: Response {
        problem("This login is over, or was completed already. Go back to the app and begin again.")
    }

    func problem(_ text: String, status: Int = 400) -> Response {
        page("That did not work", status: status, "<p class=\"problem\" role=\"alert\">\(text)</p>")
    }

    /// The pages' forms lead to other sites, which a policy on form targets would forbid.
    private func page(
        _ title: String,
        for session: SMARTState.BrowserSession? = nil,
        status: Int = 200,
        _ main: Markup
    ) -> Response {
        let account = session.map { session -> Markup in
            """
            <form class="account" method="post" action="/auth/logout"><span>\(session.user.name)</span>
            <input type="hidden" name="csrf" value="\(session.csrf)"><button>Log out</button></form>
            """
        }
        var frame = PageFrame(
            site: "FHIR sandbox",
            bar: "<a class=\"home\" href=\"/\">FHIR sandbox</a>\(account ?? .empty)"
        )
        frame.mainAttributes = " class=\"narrow\""
        frame.footer = "For development and tests."
        return frame.page(title, status: status, main)
    }
}

/// What scopes mean to people.
enum SMARTScopeText {
    static func text(of scope: SMARTScope) -> String {
        switch scope {
        case .resources(let scope): text(of: scope)
        case .launchPatient, .launch: "Know which patient is chosen"
        case .launchEncounter: "Know which visit it is about"
        case .openID: "Know that it is you, by a name of this server"
        case .fhirUser: "Know who you are in the health record"
        case .offlineAccess: "Work on, also when you are not there"
        case .onlineAccess: "Work on for as long as you are logged in"
        case .other(let text): text
        }
    }

    private static func text(of scope: ResourceScope) -> String {
        let verbs: [(ResourceScope.Permissions, String)] = [
            (.read, "read"), (.search, "search"), (.create, "add"), (.update, "change"), (.delete, "delete"),
        ]
        let able = verbs.filter { scope.permissions.contains($0.0) }.map(\.1)
        let list =
            able.count > 1
            ? able.dropLast().joined(separator: ", ") + " and " + (able.last ?? "") : able.first ?? ""
        let what = scope.type == "*" ? "everything" : scope.type
        let whose = scope.level == .patient ? "of the patient" : "that you may see"
        let which = scope.conditions.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        return list.prefix(1).uppercased() + list.dropFirst() + " \(what) \(whose)"
            + (which.isEmpty ? "" : ", with " + which)
    }
}
