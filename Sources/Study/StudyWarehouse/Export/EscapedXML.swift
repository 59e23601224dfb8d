import IndivoXML

/// A text as content of an element, or value of an attribute.
func escapedXML(_ text: String) -> String {
    XMLText.replacingForbidden(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
        ">",
        with: "&gt;"
    )
    .replacing("\"", with: "&quot;")
}
