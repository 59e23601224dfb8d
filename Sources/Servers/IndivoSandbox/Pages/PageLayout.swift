/// A part of a page, that links can lead to.
struct Section {
    var id: String
    var title: String
    var content: Markup

    var markup: Markup {
        "<section aria-labelledby=\"\(id)\"><h2 id=\"\(id)\">\(title)</h2>\(content)</section>"
    }
}

extension Section {
    /// A section that is named after its title.
    init(_ title: String, _ content: Markup) {
        self.init(id: title.lowercased().replacing(" ", with: "-"), title: title, content: content)
    }

    /// A section of a table of values.
    init<Value>(
        _ title: String,
        _ values: some Sequence<Value>,
        empty: Markup = "None.",
        _ columns: PageTable.Columns<Value>
    ) {
        self.init(title, PageTable(values, empty: empty, columns).markup)
    }
}

extension PageTable {
    /// The heads of columns, each with what makes the cell of a value.
    typealias Columns<Value> = KeyValuePairs<String, (Value) -> Markup>

    init<Value>(_ values: some Sequence<Value>, empty: Markup = "None.", _ columns: Columns<Value>) {
        self.init(
            heads: columns.map(\.key),
            rows: values.map { value in columns.map { $0.value(value) } },
            empty: empty
        )
    }
}

extension PageFrame {
    /// What every page has around it: a header with who is logged in.
    static func indivoSandbox(_ session: BrowserSession? = nil) -> PageFrame {
        let account = session.map { session -> Markup in
            """
            <form class="account" method="post" action="/logout"><span>\(session.account.fullName)</span>
            \(session.field)<button>Log out</button></form>
            """
        }
        // Its referrer policy is not no-referrer, with which a browser sends the forms of these pages from an
        // origin of “null”. Where forms may lead is not limited: the consent's leads to the app.
        var frame = PageFrame(
            site: "Indivo sandbox",
            bar: "<a class=\"home\" href=\"/\">Indivo sandbox</a>\(account)"
        )
        frame.footer = "For development and tests. The people in it are invented."
        return frame
    }
}
