import IndivoXML

extension CallClient.Outgoing {
    /// Refuses a text with a character that XML cannot carry: a server takes it, and its lists, histories and inboxes are
    /// malformed from then on, for every app.
    ///
    /// Documents are not looked at: XML ones are parsed before, and others are handed back as they are.
    /// - Throws: ``IndivoError``.
    func checkTexts() throws {
        func check(_ text: String, _ what: String) throws {
            guard let problem = XMLText.problem(in: text) else { return }
            throw IndivoError.argument("\(what) cannot be sent: \(problem)", call)
        }
        for element in query { try check(element.value, "the query's “\(element.name)”") }
        switch body {
        case .text(let text)?: try check(text, "the text")
        case .form(let form)?:
            for element in form { try check(element.value, "the field “\(element.name)”") }
        case .xml?, .data?, nil: break
        }
    }
}
