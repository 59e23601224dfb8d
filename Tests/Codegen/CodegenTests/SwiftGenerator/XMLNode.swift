import IndivoXML

/// Not Foundation's, which macOS has.
typealias XMLNode = IndivoXML.XMLNode
