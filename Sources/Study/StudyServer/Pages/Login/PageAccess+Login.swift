import Foundation
import IndivoBase
import WebServing

extension PageAccess {
    /// The cookie that the login's form has to agree with, while there is no session.
    private var formCookie: String { isBehindTLS ? "__Host-study-form" : "study-form" }

    func loginForm(_ request: Request) -> Response { loginForm(request, name: "", problem: nil, status: 200) }

    private func loginForm(_ request: Request, name: String, problem: String?, status: Int) -> Response {
        let known = request.cookie(formCookie).flatMap { RandomToken.isToken($0, length: 32) ? $0 : nil }
        let token = known ?? RandomToken.make(length: 32)
        let message: Markup = problem.map { "<p class=\"problem\" role=\"alert\">\($0)</p>" } ?? .empty
        return frame().page(
            "Log in",
            status: status,
            isNarrow: true,
            """
            \(message)
            <section aria-label="Log in"><form class="main" method="post" action="/login">
            <input type="hidden" name="csrf" value="\(token)">
            <label>Name<input name="name" value="\(name)" autocomplete="username" autocapitalize="none" \
            maxlength="64"
                required autofocus></label>
            <label>Password<input name="password" type="password" autocomplete="current-password" \
            required></label>
            <label>Code of your authenticator, if you have one<input name="code" inputmode="numeric" \
            autocomplete="one-time-code" maxlength="12"></label>
            <div><button class="primary">Log in</button></div>
            </form></section>
            """
        ).adding("Set-Cookie", setCookie(formCookie, token))
    }

    func logIn(_ request: Request) async throws -> Response {
        let form = FormParameters(decoding: request.body)
        guard request.isFromOwnPage, let token = request.cookie(formCookie),
            RandomToken.isToken(token, length: 32),
            constantTimeEqual(form["csrf"] ?? "", token)
        else {
            return loginForm(
                request,
                name: "",
                problem: "The form was not from this page, or the browser takes no cookies. Try again.",
                status: 403
            )
        }
        let entered = form["name"] ?? ""
        let shown = String(entered.prefix(64))
        // What can be nobody's name is treated as one unknown name: texts that differ in their bytes may be
        // equal.
        let name = StudyUserFile.isName(entered) ? entered : ""
        let address = client(of: request)
        // Before the attempt is counted: without a comparison of the password, it does not count.
        guard checks.slots.enter() else {
            return loginForm(
                request,
                name: shown,
                problem: "Too many people log in at once. Try again.",
                status: 503
            )
            .adding("Retry-After", "2")
        }
        defer { checks.slots.leave() }
        if let seconds = limiter.admit(name: name, address: address) {
            logger.notice("too many logins", metadata: ["address": "\(address)"])
            let minutes = (seconds + 59) / 60
            let problem = "Too many attempts. Wait \(minutes == 1 ? "a minute" : "\(minutes) minutes")."
            return loginForm(request, name: shown, problem: problem, status: 429).adding(
                "Retry-After",
                String(seconds)
            )
        }
        let password = form["password"] ?? ""
        // The system's hash takes no longer ones.
        let isPossible = password.utf8.count <= StudyUserFile.passwordLengths.upperBound
        let user = try users.users()[name]
        let hash = user?.hash
        let matches = await checks.matches(isPossible ? password : "", isPossible ? hash : nil)
        // A code is looked at behind the right password alone, and then it counts once.
        guard matches, let user, isSecondFactor(form["code"] ?? "", of: name, user) else {
            logger.notice("a login fails", metadata: ["address": "\(address)"])
            // A name that nobody has may be a password in the wrong field.
            try record(user == nil ? "-" : name, "login fails", ["address": address])
            return loginForm(
                request,
                name: shown,
                problem: "Name, password and code do not fit.",
                status: 403
            )
        }
        try record(name, "login", ["address": address])
        limiter.succeed(name: name, address: address)
        logger.info("a login", metadata: ["name": "\(name)"])
        return Response.seeOther("/").adding("Set-Cookie", setCookie(cookie, sessions.begin(name, user.hash)))
    }

    /// Whether somebody shows what their second factor asks for.
    private func isSecondFactor(_ code: String, of name: String, _ user: StudyUser) -> Bool {
        guard let totp = user.totp else { return true }
        return usedCodes.take(code, of: name, totp, at: Int(Date().timeIntervalSince1970))
    }
}
