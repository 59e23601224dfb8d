extension Markup {
    /// The form of a sandbox's page on which a person logs in.
    ///
    /// - Parameters:
    ///   - target: The field with the address that follows.
    ///   - user: The field with the user name.
    package static func loginForm(
        _ action: String,
        target: (name: String, value: String),
        user: (name: String, value: String),
        problem: String?,
        isDemo: Bool
    ) -> Markup {
        let demo: Markup = """
            <p class="quiet">The demo account: user name <code>demo</code>, password <code>demo</code>.</p>
            """
        return """
            \(problem.map { "<p class=\"problem\" role=\"alert\">\($0)</p>" as Markup } ?? .empty)
            <section aria-label="Log in"><form class="main" method="post" action="\(action)">
            <input type="hidden" name="\(target.name)" value="\(target.value)">
            <label>User name<input name="\(user.name)" value="\(user.value)" autocomplete="username" \
            autocapitalize="none" required autofocus></label>
            <label>Password<input name="password" type="password" autocomplete="current-password" \
            required></label>
            <div><button class="primary">Log in</button></div>
            </form></section>
            \(isDemo ? demo : .empty)
            """
    }
}
