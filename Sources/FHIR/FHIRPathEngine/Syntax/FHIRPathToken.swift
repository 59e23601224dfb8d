/// A word of FHIRPath and where it begins.
struct FHIRPathToken {
    enum Kind: Equatable {
        /// A name, a keyword, or a name in backquotes; keywords are names where the grammar has no other use
        /// for them.
        case identifier(String, isDelimited: Bool)
        /// A string in single quotes, its escapes resolved.
        case string(String)
        /// Digits with at most one point, and whether `L` follows.
        case number(String, isLong: Bool)
        /// What stands between `@` and the end of a date, date and time, or time (`T14:30`).
        case date(String)
        /// An operator or a bracket.
        case symbol(String)
        /// `$this`, `$index`, `$total`.
        case special(String)
        case end
    }

    let kind: Kind
    let offset: Int
}
