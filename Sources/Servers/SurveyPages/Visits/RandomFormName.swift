import IndivoBase

/// The name of a form: it distinguishes a page that another window saved from one that the same window saved
/// twice.
enum RandomFormName {
    static func make() -> String { RandomToken.make(length: 12) }
}
