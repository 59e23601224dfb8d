import IndivoXML

extension IndivoDocument {
    /// Takes over from the stored document what a report on it left out.
    ///
    /// What was changed since the report was read stays as it is; everything else is as it is stored, and the stored
    /// document becomes the source, so that nothing of it is lost when this one is written.
    ///
    /// - Throws: ``DocumentError`` when the stored document is not of this class.
    final func complete(from stored: XMLNode) throws {
        guard let source else { return }
        var ignored: [DocumentError] = []
        let whole = try type(of: self).read(from: stored)
        let reported = try type(of: self).read(from: source, problems: &ignored)
        let (now, then) = (FieldTable(self), FieldTable(reported))
        for field in now.schema.fields where now.hasSameContent(as: then, in: field) {
            field.copy(from: whole, to: self)
        }
        self.source = whole.source
        isFromReport = false
    }
}
