extension String {
    /// The lines of a table, without comments and empty ones.
    var tableLines: some Sequence<Substring> {
        split(separator: "\n").lazy.filter { !$0.hasPrefix("#") }
    }
}
