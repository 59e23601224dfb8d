import IndivoBase

/// The name of a form: by it a page that was saved by another window is known from one that was saved twice
/// by the same.
enum RandomFormName {
    static func make() -> String { RandomToken.make(length: 12) }
}
