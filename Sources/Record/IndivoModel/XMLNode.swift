import IndivoXML

/// The DOM's node, by a name that this module declares itself: on macOS Foundation has an `XMLNode` too.
public typealias XMLNode = IndivoXML.XMLNode
